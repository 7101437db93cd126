// Stages onto devices by load.

#ifndef OCTOPIPE_COMPILER_SEARCH_PLACEMENT_H_
#define OCTOPIPE_COMPILER_SEARCH_PLACEMENT_H_

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Spreads the stages so that the most loaded device has little to do: the
// longest stage first, each onto the device that would end it earliest (Graham
// 1969: on equal devices at most 4/3 − 1/(3D) times the least possible), then
// moves and swaps of stages as long as they lower the largest load. A stage
// goes to a device whose memory holds its static bytes and the activations of
// one micro-batch beside those of the stages already there, shared parameters
// counted for each, if there is one. Among equal
// devices the first. O(stages² · devices) a move.
Placement BalancedPlacement(const Problem& problem, const Partition& partition);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PLACEMENT_H_
