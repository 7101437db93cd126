// Lowers a scheduled plan to programs with sends and receives.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_INSERT_TRANSFERS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_INSERT_TRANSFERS_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// `order`, valid for `table`, with a send and a receive for every tensor that
// crosses from one device to another; compute items stay in their order. The
// result never hangs, whatever the timing: see the proofs in direct_sends.h and
// deferred_sends.h. Deterministic.
//
// Sends stand right behind their producers. Receives stand where
// TransferOptions says; one that would leave devices waiting for one another
// for ever is posted earlier. If no receives make that work within the slots
// and the memory, sends are deferred, as far as `options` allows.
//
// ResourceExhausted, with the item as subject: kSlotsTooFew if the slots do not
// suffice (they always do if an item reads no more tensors over one channel
// than it has slots, and sends may be deferred), with the number that does;
// kMemoryExceeded if a device has no room for a tensor while it is read.
// InvalidArgument if an option is out of range. O(items · log items), linear
// while sends need not be deferred.
absl::StatusOr<TransferPlan> InsertTransfers(const StageTable& table,
                                             const Order& order,
                                             const TransferOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_INSERT_TRANSFERS_H_
