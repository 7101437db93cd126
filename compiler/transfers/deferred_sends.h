// Sends and receives that work with few slots, whatever the compute order.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_DEFERRED_SENDS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_DEFERRED_SENDS_H_

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/direct_sends.h"
#include "compiler/transfers/messages.h"
#include "compiler/transfers/slots.h"

namespace octopipe {

// Posts every receive as `plan` says and gives each message a time: the end of
// the last of its producer, of the item behind which its receive is posted, and
// of the message before it in its channel. Its send goes behind the items of
// its device that have ended by then. Items end in some order of all of them
// together that keeps the data flow; here by their earliest times, transfers
// left out.
//
// `messages` are in the order of their readers, and `plan` was made from that.
//
// Why the result never hangs: it can be executed in the order of the ends of
// items, each followed by the messages of that time by channel and position. A
// message's time lies behind its producer and the post of its receive. It lies
// before its reader: so do its producer (data flow), the item before the post
// (the same device), and by induction the message before it (which is read no
// later). And each device meets its sends in that order, because they are put
// there so, with the receives of a time before the sends of that time. All
// executions of a program come equally far (direct_sends.h), so none hangs. In
// this one even a receive that held up its host until its message came would
// not hang.
//
// O(items · log items).
TransferTimes PlanDeferredSends(const StageTable& table, const Order& order,
                                const Messages& messages,
                                const ReceivePlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_DEFERRED_SENDS_H_
