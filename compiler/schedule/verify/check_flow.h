// Whether the orders of all devices can run to their ends.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_FLOW_H_
#define OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_FLOW_H_

#include <vector>

#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/verify/item_index.h"
#include "compiler/schedule/verify/stage_graph.h"

namespace octopipe {

// Reports every item that runs before one of its own device that it needs.
// Returns whether there was none. Items that are invalid are passed over.
bool CheckLocalFlow(const Order& order, const ItemIndex& index,
                    const std::vector<StageNode>& graph, FindingList& findings);

// Reports, if the devices come to wait for one another, a shortest cycle of
// waiting devices. O(items · log devices + stuck devices²).
void CheckDeadlock(const Order& order, const ItemIndex& index,
                   const std::vector<StageNode>& graph, FindingList& findings);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_VERIFY_CHECK_FLOW_H_
