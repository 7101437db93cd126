// What stages need of their devices' memory before any schedule is known: the
// static bytes and the activations of one micro-batch, without workspaces. No
// order needs less.

#ifndef OCTOPIPE_COMPILER_SEARCH_STAGE_MEMORY_H_
#define OCTOPIPE_COMPILER_SEARCH_STAGE_MEMORY_H_

#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Per device; parameters that layers of one device share count once.
std::vector<Bytes> MicroBatchBytes(const Problem& problem,
                                   const Partition& partition,
                                   const Placement& placement);

// Per stage, as if it had a device for itself.
std::vector<Bytes> StageBytes(const Problem& problem,
                              const Partition& partition);

// Entry j is the least i for which the layers i … j − 1 as one stage need at
// most `limit` bytes; j where layer j − 1 alone needs more. Never falls with j.
// O(layers).
std::vector<int> LongestStages(const Problem& problem, Bytes limit);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_STAGE_MEMORY_H_
