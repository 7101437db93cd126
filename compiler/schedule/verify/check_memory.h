// Whether every device's order fits its memory.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_MEMORY_H_
#define OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_MEMORY_H_

#include <vector>

#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/verify/stage_graph.h"

namespace octopipe {

// One finding for each device whose bytes, along its order, exceed its memory.
// Every item of the order is valid and none is missing. O(items).
void CheckMemory(const Problem& problem, const Plan& plan,
                 const std::vector<StageNode>& graph, FindingList& findings);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_MEMORY_H_
