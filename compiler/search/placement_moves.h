// Moves of the tuner that change which device runs a stage.

#ifndef OCTOPIPE_COMPILER_SEARCH_PLACEMENT_MOVES_H_
#define OCTOPIPE_COMPILER_SEARCH_PLACEMENT_MOVES_H_

#include <random>

#include "compiler/search/tuner_state.h"

namespace octopipe {

// Moves a stage to another device, swaps the devices of two stages, or turns
// round or rotates the devices of a run of stages, at random. False, with
// `state` as it was, if the move drawn changes nothing.
bool MovePlacement(int devices, std::mt19937_64& random, TunerState* state);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PLACEMENT_MOVES_H_
