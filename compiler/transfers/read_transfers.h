// Programs as text, IR and files hold them, with what they leave out.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_READ_TRANSFERS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_READ_TRANSFERS_H_

#include <vector>

#include "absl/types/span.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// `programs`, one for each device, with channels, positions, bytes and groups
// as InsertTransfers would give them; of `options` the slots, the channels and
// the groups count. Whatever InsertTransfers made comes back. Items that name
// no tensor between two devices get no channel, so that ProveTransfers, which
// should follow, refuses them. O(items).
TransferPlan ReadTransfers(const StageTable& table,
                           absl::Span<const std::vector<WorkItem>> programs,
                           const TransferOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_READ_TRANSFERS_H_
