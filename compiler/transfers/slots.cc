#include "compiler/transfers/slots.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/quantity_text.h"
#include "compiler/base/status_macros.h"
#include "compiler/transfers/counting_sort.h"

namespace octopipe {
namespace {

class Planner {
 public:
  Planner(const StageTable& table, const Order& order, const Messages& messages,
          int slots, int lookahead, ReceiveMemory& memory)
      : table_(table),
        order_(order),
        messages_(messages),
        slots_(slots),
        lookahead_(lookahead),
        memory_(memory) {
    const size_t size = messages.all.size();
    plan_.slot.resize(size);
    plan_.earliest.resize(size);
    plan_.latest.resize(size);
    plan_.post.resize(size);
  }

  absl::StatusOr<ReceivePlan> Plan() && {
    for (size_t c = 0; c < messages_.channels.size(); ++c) {
      OCTOPIPE_RETURN_IF_ERROR(PlanChannel(static_cast<int>(c)));
    }
    OCTOPIPE_RETURN_IF_ERROR(FitMemory());
    return std::move(plan_);
  }

 private:
  absl::Status PlanChannel(int channel) {
    const absl::Span<const int32_t> carried = messages_.OfChannel(channel);
    int32_t latest = std::numeric_limits<int32_t>::max();
    for (size_t i = carried.size(); i-- > 0;) {
      latest = std::min(latest, messages_.all[carried[i]].consumer);
      plan_.latest[carried[i]] = latest;
    }
    free_from_.assign(std::min<size_t>(slots_, carried.size()), 0);
    for (int32_t m : carried) {
      const auto slot = std::min_element(free_from_.begin(), free_from_.end());
      plan_.slot[m] = static_cast<int16_t>(slot - free_from_.begin());
      plan_.earliest[m] = *slot;
      if (*slot > plan_.latest[m]) return TooFewSlots(m);
      *slot = messages_.all[m].consumer + 1;
      plan_.post[m] = std::max(*slot - 1 - lookahead_, plan_.earliest[m]);
    }
    // A receive is posted before those behind it.
    for (size_t i = carried.size(); i-- > 1;) {
      int32_t& before = plan_.post[carried[i - 1]];
      before = std::min(before, plan_.post[carried[i]]);
    }
    return absl::OkStatus();
  }

  // Every tensor has its room at `latest` before any takes more.
  absl::Status FitMemory() {
    std::vector<int32_t> begin;
    const std::vector<int32_t> by_time = CountingSort(
        messages_.all.size(), messages_.device_begin.back(),
        [&](int64_t m) {
          return messages_.device_begin[DeviceOf(m)] + plan_.latest[m];
        },
        begin);
    for (int32_t m : by_time) {
      const int device = DeviceOf(m);
      if (!memory_.IsLimited(device)) continue;
      const Bytes bytes = BytesOf(table_, messages_.all[m]);
      const int32_t end = messages_.all[m].consumer + 1;
      const int32_t full =
          memory_.LastFull(device, plan_.latest[m], end, bytes);
      if (full >= plan_.latest[m]) return TooLittleMemory(m, full, bytes);
      memory_.Take(device, plan_.latest[m], end, bytes);
    }
    std::vector<int32_t> last_post(messages_.channels.size(), 0);
    for (int32_t m : by_time) {
      const int device = DeviceOf(m);
      if (!memory_.IsLimited(device)) continue;
      const Bytes bytes = BytesOf(table_, messages_.all[m]);
      int32_t& post = last_post[messages_.all[m].channel];
      post = std::max(post, plan_.post[m]);
      post = memory_.LastFull(device, post, plan_.latest[m], bytes) + 1;
      memory_.Take(device, post, plan_.latest[m], bytes);
      plan_.post[m] = post;
    }
    return absl::OkStatus();
  }

  int DeviceOf(int64_t message) const {
    return messages_.channels[messages_.all[message].channel].to;
  }

  absl::Status TooFewSlots(int32_t m) const {
    const Message& message = messages_.all[m];
    const Channel& channel = messages_.channels[message.channel];
    return ErrorAt(
        absl::StatusCode::kResourceExhausted, Rule::kSlotsTooFew,
        {SubjectKind::kItem, channel.to, message.consumer},
        absl::StrCat("device ", channel.to, " cannot receive what ",
                     ToString(order_.programs[channel.to][message.consumer]),
                     " reads from device ", channel.from, ": the ", slots_,
                     slots_ == 1
                         ? " slot of the channel holds a tensor that is"
                         : " slots of the channel hold tensors that are",
                     " read later or together with it"));
  }

  absl::Status TooLittleMemory(int32_t m, int32_t item, Bytes bytes) const {
    const Message& message = messages_.all[m];
    const Channel& channel = messages_.channels[message.channel];
    return ErrorAt(
        absl::StatusCode::kResourceExhausted, Rule::kMemoryExceeded,
        {SubjectKind::kItem, channel.to, message.consumer},
        absl::StrCat(
            "device ", channel.to, " has ",
            BytesText(std::max<Bytes>(0, memory_.Free(channel.to, item))),
            " left at item ", item, " (",
            ToString(order_.programs[channel.to][item]), ") to receive ",
            BytesText(bytes), " from device ", channel.from, " for item ",
            message.consumer, " (",
            ToString(order_.programs[channel.to][message.consumer]),
            "); use a plan with fewer micro-batches in flight"));
  }

  const StageTable& table_;
  const Order& order_;
  const Messages& messages_;
  const int slots_;
  const int lookahead_;
  ReceiveMemory& memory_;
  ReceivePlan plan_;
  std::vector<int32_t> free_from_;  // of each slot, a time
};

}  // namespace

absl::StatusOr<ReceivePlan> PlanReceives(const StageTable& table,
                                         const Order& order,
                                         const Messages& messages, int slots,
                                         int lookahead, ReceiveMemory& memory) {
  return Planner(table, order, messages, slots, lookahead, memory).Plan();
}

}  // namespace octopipe
