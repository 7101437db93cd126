// The problem that most tests start from.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_CHAIN_PROBLEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_CHAIN_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {

// A chain of layers "l0", "l1", … that need no memory, on equal devices "gpu0",
// "gpu1", … of kind "h100" without links.
Problem ChainProblem(const std::vector<LayerTimes>& times, int devices,
                     int64_t micro_batches);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_CHAIN_PROBLEM_H_
