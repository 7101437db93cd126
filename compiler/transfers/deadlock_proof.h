// The proof that programs with transfers run to their end, by code that shares
// nothing with their insertion.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_DEADLOCK_PROOF_H_
#define OCTOPIPE_COMPILER_TRANSFERS_DEADLOCK_PROOF_H_

#include <vector>

#include "compiler/base/finding.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// Every way in which `plan` is not `order`, itself valid for `table`, with its
// transfers. Empty if all of this holds:
//  - without its transfers it is `order` (kOrderChanged);
//  - every tensor that crosses between devices has one send and one receive
//    (kTransferMissing, kTransferRepeated), and there are no others
//    (kTransferInvalid: wrong device, peer, channel or slot);
//  - a send comes behind the item that makes its tensor, a receive before the
//    one that reads it (kTransferFlow);
//  - both carry the tensor's bytes (kTransferBytes);
//  - both ends of a channel post the same messages in the same order
//    (kChannelOrder);
//  - a slot is free when its receive is posted: the item that reads the tensor
//    before has ended by then (kSlotInUse);
//  - received tensors, from post to reader, fit the memory with all else on the
//    device (kMemoryExceeded);
//  - no timing makes devices wait for one another for ever (kDeadlock, with a
//    cycle of the fewest devices in words). Looked at if the rest holds.
//
// The last is proven for executors that wait for nothing but what is named
// here, and so for all that wait for less. Events are the end of a compute
// item, the post of a send or a receive, and the end of a transfer. On one
// device each waits for those of the items before it in the program: for the
// ends of compute items and of sent messages (a send holds up the host until it
// is matched), for the posts of receives. Members of a group are posted
// together; what stands behind them waits for the transfers of all of them. A
// compute item waits for the transfers of the tensors that it reads. A transfer
// waits for both its posts and for the transfer before it in its channel. A
// post that would wait for its slot is refused as above, so slots add nothing.
// If these waits have no cycle, every execution ends; if they have one, the
// execution in which nothing else delays an event stops there.
//
// Not covered: executors that hold up the host, or another channel, until a
// receive outside a group has its message. O(items + stuck devices²).
std::vector<Finding> ProveTransfers(const StageTable& table, const Order& order,
                                    const TransferPlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_DEADLOCK_PROOF_H_
