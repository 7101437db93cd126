// Moves of the tuner that balance the load: boundaries between stages.

#ifndef OCTOPIPE_COMPILER_SEARCH_PARTITION_MOVES_H_
#define OCTOPIPE_COMPILER_SEARCH_PARTITION_MOVES_H_

#include <random>

#include "compiler/search/tuner_state.h"

namespace octopipe {

// Moves a boundary by a layer or a few, moves a stage's worth of boundaries by
// one, cuts a stage in two, or joins two neighbours on one device, at random;
// stages keep what decides their order. Never more than `most_stages`. False,
// with `state` as it was, if the move drawn does not apply.
bool MovePartition(int devices, int most_stages, int micro_batches,
                   std::mt19937_64& random, TunerState* state);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PARTITION_MOVES_H_
