// Buffer slots of the receives, and the time at which each would best be
// posted.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_SLOTS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_SLOTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/messages.h"
#include "compiler/transfers/receive_memory.h"

namespace octopipe {

// All by message. Times count the compute items of the receiving device that
// have ended: at time p, item p is next.
struct ReceivePlan {
  std::vector<int16_t> slot;
  // From when on the slot is free. Does not descend along a channel.
  std::vector<int32_t> earliest;
  // When the receive must be posted, for this message or one behind it in the
  // channel. Nor does this descend.
  std::vector<int32_t> latest;
  // Between the two, and not descending either: `lookahead` items before the
  // first reader of this message or one behind it, but no earlier than slot and
  // memory allow.
  std::vector<int32_t> post;
};

// Gives each message of a channel the slot that is free first, the lowest of
// several. That is the most a number of slots can do: a message gets a slot as
// soon as fewer than `slots` of those before it are still to be read. Takes the
// tensors' bytes, from post to reader, from `memory`.
//
// kSlotsTooFew if a channel carries a message behind more unread ones than its
// slots hold, kMemoryExceeded if a device has no room for a tensor even while
// it is read, or must take it early because of a message behind it. Both are
// ResourceExhausted and have the reader as subject. O(messages · slots), and on
// devices of limited memory O(items · slots · channels into the device).
absl::StatusOr<ReceivePlan> PlanReceives(const StageTable& table,
                                         const Order& order,
                                         const Messages& messages, int slots,
                                         int lookahead, ReceiveMemory& memory);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_SLOTS_H_
