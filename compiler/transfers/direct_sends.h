// Sends right behind their producers, and receives posted early enough for
// that.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_DIRECT_SENDS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_DIRECT_SENDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/transfers/messages.h"
#include "compiler/transfers/receive_memory.h"
#include "compiler/transfers/slots.h"

namespace octopipe {

// Where transfers stand among the compute items of their devices, whose times
// count the items that have ended.
struct TransferTimes {
  // The messages of one sending device stand together, in program order.
  std::vector<int32_t> send_order;
  std::vector<int32_t> send;  // by message: a time of the sending device
  // By message: twice a time of the receiving device, plus 1 if behind the
  // sends of that time.
  std::vector<int32_t> receive;
};

// Finds receives with which the devices never wait for one another for ever.
// nullopt if there are none, whatever the receives, with these slots.
//
// Runs the programs as transfer_program.h says, each receive where `plan` posts
// it, behind the sends of that time. When no device can go on, one that sends
// waits for a receive that is planned for later. If the receiving device stands
// at a time at which the slot is free and memory has room, the receive moves to
// there, and with it those before it in the channel; the run continues.
//
// Why the result never hangs: the run is an execution of it. What a device may
// do next stays possible whatever the others do (a post and an end of an item
// are never taken back, and nothing contends for a channel), so all executions
// of a program come equally far: to the end.
//
// Why nullopt is final, where memory is not limited: a receive posted earlier
// never holds anything up. So the programs that post every receive as soon as
// its slot is free come furthest, and the run above fails only where those
// stand, too.
//
// O(items + messages + blocked devices · channels into a device).
std::optional<TransferTimes> PlanDirectSends(const StageTable& table,
                                             const Messages& messages,
                                             const ReceivePlan& plan,
                                             ReceiveMemory& memory);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_DIRECT_SENDS_H_
