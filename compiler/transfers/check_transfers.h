// Whether the sends and receives of a plan are those that it needs.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_CHECK_TRANSFERS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_CHECK_TRANSFERS_H_

#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// Reports what deadlock_proof.h lists, but for deadlocks. Shares no code with
// the insertion. O(items).
void CheckTransfers(const StageTable& table, const Order& order,
                    const TransferPlan& plan, FindingList& findings);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_CHECK_TRANSFERS_H_
