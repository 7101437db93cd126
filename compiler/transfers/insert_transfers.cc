#include "compiler/transfers/insert_transfers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/transfers/counting_sort.h"
#include "compiler/transfers/deferred_sends.h"
#include "compiler/transfers/direct_sends.h"
#include "compiler/transfers/groups.h"
#include "compiler/transfers/messages.h"
#include "compiler/transfers/receive_memory.h"
#include "compiler/transfers/slots.h"

namespace octopipe {
namespace {

constexpr int kMaxSlots = std::numeric_limits<int16_t>::max();

absl::Status CheckOptions(const TransferOptions& options) {
  if (options.slots < 1 || options.slots > kMaxSlots) {
    return absl::InvalidArgumentError(absl::StrCat(
        "slots is ", options.slots, "; expected 1 to ", kMaxSlots));
  }
  if (options.lookahead < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lookahead is ", options.lookahead, "; expected at least 0"));
  }
  return absl::OkStatus();
}

// The plan of the receives and what it decides for the sends.
struct Lowering {
  ReceivePlan receives;
  TransferTimes times;
};

absl::StatusOr<Lowering> LowerDirect(const StageTable& table,
                                     const Order& order,
                                     const Messages& messages, int slots,
                                     int lookahead) {
  ReceiveMemory memory(table, order);
  OCTOPIPE_ASSIGN_OR_RETURN(
      ReceivePlan receives,
      PlanReceives(table, order, messages, slots, lookahead, memory));
  std::optional<TransferTimes> times =
      PlanDirectSends(table, messages, receives, memory);
  if (times) return Lowering{std::move(receives), *std::move(times)};
  return ErrorAt(absl::StatusCode::kResourceExhausted, Rule::kSlotsTooFew, {},
                 absl::StrCat("with ", slots, slots == 1 ? " slot" : " slots",
                              " a channel and sends right behind their "
                              "producers, the devices come to wait for one "
                              "another for ever"));
}

absl::StatusOr<Lowering> LowerDeferred(const StageTable& table,
                                       const Order& order, Messages& messages,
                                       const TransferOptions& options) {
  OrderByConsumer(messages);
  ReceiveMemory memory(table, order);
  OCTOPIPE_ASSIGN_OR_RETURN(ReceivePlan receives,
                            PlanReceives(table, order, messages, options.slots,
                                         options.lookahead, memory));
  TransferTimes times = PlanDeferredSends(table, order, messages, receives);
  return Lowering{std::move(receives), std::move(times)};
}

// The fewest slots with which `lower` succeeds, if any number does. More slots
// never hurt.
template <typename Lower>
std::optional<int> FewestSlots(int too_few, const Lower& lower) {
  int enough = too_few;
  do {
    if (enough == kMaxSlots) return std::nullopt;
    too_few = enough;
    enough = std::min(2 * enough, kMaxSlots);
  } while (!lower(enough));
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (lower(middle) ? enough : too_few) = middle;
  }
  return enough;
}

template <typename Lower>
absl::Status WithAdvice(const absl::Status& status, int slots,
                        const Lower& lower) {
  if (RuleOf(status) != Rule::kSlotsTooFew) return status;
  const std::optional<int> enough = FewestSlots(slots, lower);
  return ErrorAt(
      status.code(), Rule::kSlotsTooFew, SubjectOf(status).value_or(Subject()),
      absl::StrCat(status.message(), "; ",
                   enough ? absl::StrCat(*enough, " slots a channel suffice")
                          : "no number of slots suffices"));
}

absl::StatusOr<Lowering> Lower(const StageTable& table, const Order& order,
                               Messages& messages,
                               const TransferOptions& options) {
  absl::StatusOr<Lowering> direct =
      LowerDirect(table, order, messages, options.slots, options.lookahead);
  // Where memory is short, receives ahead of time may take what one needs that
  // another device waits for.
  if (!direct.ok() && options.lookahead > 0) {
    absl::StatusOr<Lowering> late =
        LowerDirect(table, order, messages, options.slots, 0);
    if (late.ok()) return late;
  }
  if (direct.ok()) return direct;
  if (!options.defer_sends) {
    return WithAdvice(direct.status(), options.slots, [&](int slots) {
      return LowerDirect(table, order, messages, slots, 0).ok();
    });
  }
  absl::StatusOr<Lowering> deferred =
      LowerDeferred(table, order, messages, options);
  if (deferred.ok()) return deferred;
  return WithAdvice(deferred.status(), options.slots, [&](int slots) {
    TransferOptions more = options;
    more.slots = slots;
    return LowerDeferred(table, order, messages, more).ok();
  });
}

// Writes the programs of all devices.
class Writer {
 public:
  Writer(const StageTable& table, const Messages& messages,
         const Lowering& lowering)
      : table_(table), messages_(messages), lowering_(lowering) {
    // By device and time: those of one channel in its order.
    receives_ = CountingSort(
        messages.all.size(), 2 * messages.device_begin.back(),
        [&](int64_t i) {
          const int32_t m = messages.by_channel[i];
          const int device = messages.channels[messages.all[m].channel].to;
          return 2 * messages.device_begin[device] + lowering.times.receive[m];
        },
        receives_begin_);
  }

  TransferPlan Write(const Order& order, int slots) {
    TransferPlan plan;
    plan.slots = slots;
    plan.channels = messages_.channels;
    plan.programs.resize(order.programs.size());
    for (size_t d = 0; d < order.programs.size(); ++d) {
      WriteProgram(static_cast<int>(d), order.programs[d], plan.programs[d]);
    }
    return plan;
  }

 private:
  void WriteProgram(int device, const std::vector<WorkItem>& items,
                    std::vector<ProgramItem>& program) {
    const int64_t begin = messages_.device_begin[device];
    const int64_t end = messages_.device_begin[device + 1];
    program.reserve(items.size() + messages_.made_begin[end] -
                    messages_.made_begin[begin] + receives_begin_[2 * end] -
                    receives_begin_[2 * begin]);
    for (int64_t time = 0; time <= end - begin; ++time) {
      const bool is_end = time == end - begin;
      if (!is_end) WriteReceives(2 * (begin + time), program);
      WriteSends(messages_.made_begin[end], time, program);
      if (is_end) return;
      WriteReceives(2 * (begin + time) + 1, program);
      program.emplace_back().work = items[time];
    }
  }

  void WriteReceives(int64_t half_time, std::vector<ProgramItem>& program) {
    for (int32_t i = receives_begin_[half_time];
         i < receives_begin_[half_time + 1]; ++i) {
      const int32_t m = messages_.by_channel[receives_[i]];
      const Message& message = messages_.all[m];
      const StageEdge& edge = table_.edges[message.edge];
      WriteTransfer(
          message,
          message.is_gradient
              ? Transfer(WorkKind::kReceiveGradient, edge.from, edge.to,
                         message.micro_batch, lowering_.receives.slot[m])
              : Transfer(WorkKind::kReceiveActivation, edge.to, edge.from,
                         message.micro_batch, lowering_.receives.slot[m]),
          program);
    }
  }

  // Those of this time; `end` are the messages of this device.
  void WriteSends(int32_t end, int64_t time,
                  std::vector<ProgramItem>& program) {
    const TransferTimes& times = lowering_.times;
    for (; sent_ < end && times.send[times.send_order[sent_]] == time;
         ++sent_) {
      const Message& message = messages_.all[times.send_order[sent_]];
      const StageEdge& edge = table_.edges[message.edge];
      WriteTransfer(message,
                    message.is_gradient
                        ? Transfer(WorkKind::kSendGradient, edge.to, edge.from,
                                   message.micro_batch)
                        : Transfer(WorkKind::kSendActivation, edge.from,
                                   edge.to, message.micro_batch),
                    program);
    }
  }

  void WriteTransfer(const Message& message, const WorkItem& work,
                     std::vector<ProgramItem>& program) {
    program.push_back({work, message.channel, message.position, -1,
                       BytesOf(table_, message)});
  }

  const StageTable& table_;
  const Messages& messages_;
  const Lowering& lowering_;
  std::vector<int32_t> receives_;  // indices into Messages::by_channel
  std::vector<int32_t> receives_begin_;
  int32_t sent_ = 0;  // passed in send_order
};

}  // namespace

absl::StatusOr<TransferPlan> InsertTransfers(const StageTable& table,
                                             const Order& order,
                                             const TransferOptions& options) {
  OCTOPIPE_RETURN_IF_ERROR(CheckOptions(options));
  Messages messages = CollectMessages(table, order, options.channel_per_kind);
  OCTOPIPE_ASSIGN_OR_RETURN(const Lowering lowering,
                            Lower(table, order, messages, options));
  TransferPlan plan =
      Writer(table, messages, lowering).Write(order, options.slots);
  if (options.group) FormGroups(plan);
  return plan;
}

}  // namespace octopipe
