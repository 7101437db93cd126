#include "compiler/transfers/deferred_sends.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "compiler/base/units.h"

namespace octopipe {
namespace {

Nanos DurationOf(const StageTable& table, const WorkItem& item) {
  const StageCost& stage = table.stages[item.stage];
  switch (item.kind) {
    case WorkKind::kForward:
      return stage.f_ns;
    case WorkKind::kInputGradient:
      return stage.b_ns;
    case WorkKind::kWeightGradient:
      return stage.w_ns;
    default:
      return stage.bw_ns;
  }
}

// The rank of every compute item by its end, if transfers took no time. Items
// that end together rank in an order that keeps the data flow.
std::vector<int32_t> RankByEnd(const StageTable& table, const Order& order,
                               const Messages& messages) {
  const int64_t items = messages.device_begin.back();
  constexpr Nanos kNotEnded = -1;
  std::vector<Nanos> ends(items, kNotEnded);
  std::vector<int32_t> sorted;  // in an order that keeps the data flow
  sorted.reserve(items);
  std::vector<int64_t> next(messages.device_begin.begin(),
                            messages.device_begin.end() - 1);
  std::vector<int> ready(next.size());
  std::iota(ready.begin(), ready.end(), 0);
  auto advance = [&](int device) {
    while (next[device] < messages.device_begin[device + 1]) {
      const int64_t item = next[device];
      const int64_t position = item - messages.device_begin[device];
      Nanos start = position == 0 ? 0 : ends[item - 1];
      for (int32_t m : messages.ReadBy(item)) {
        const Message& message = messages.all[m];
        const Nanos made =
            ends[messages
                     .device_begin[messages.channels[message.channel].from] +
                 message.producer];
        if (made == kNotEnded) return;
        start = std::max(start, made);
      }
      ends[item] = start + DurationOf(table, order.programs[device][position]);
      sorted.push_back(static_cast<int32_t>(item));
      ++next[device];
      for (int32_t m = messages.made_begin[item];
           m < messages.made_begin[item + 1]; ++m) {
        ready.push_back(messages.channels[messages.all[m].channel].to);
      }
    }
  };
  while (!ready.empty()) {
    const int device = ready.back();
    ready.pop_back();
    advance(device);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int32_t a, int32_t b) { return ends[a] < ends[b]; });
  std::vector<int32_t> ranks(items);
  for (size_t rank = 0; rank < sorted.size(); ++rank) {
    ranks[sorted[rank]] = static_cast<int32_t>(rank);
  }
  return ranks;
}

}  // namespace

TransferTimes PlanDeferredSends(const StageTable& table, const Order& order,
                                const Messages& messages,
                                const ReceivePlan& plan) {
  const std::vector<int32_t> ranks = RankByEnd(table, order, messages);
  const size_t size = messages.all.size();
  std::vector<int32_t> time(size);  // rank of the item that ended last
  TransferTimes times;
  times.send.resize(size);
  times.receive.resize(size);
  for (size_t c = 0; c < messages.channels.size(); ++c) {
    const Channel& channel = messages.channels[c];
    const int64_t sender = messages.device_begin[channel.from];
    const int64_t receiver = messages.device_begin[channel.to];
    int32_t before = 0;
    for (int32_t m : messages.OfChannel(static_cast<int>(c))) {
      const Message& message = messages.all[m];
      const int32_t post = plan.post[m];
      time[m] = std::max(ranks[sender + message.producer], before);
      if (post > 0) time[m] = std::max(time[m], ranks[receiver + post - 1]);
      before = time[m];
      times.receive[m] = 2 * post;
      // Ranks ascend along a device.
      const auto begin = ranks.begin() + sender;
      times.send[m] = static_cast<int32_t>(
          std::upper_bound(
              begin + message.producer,
              ranks.begin() + messages.device_begin[channel.from + 1],
              time[m]) -
          begin);
    }
  }
  times.send_order.resize(size);
  std::iota(times.send_order.begin(), times.send_order.end(), 0);
  auto key = [&](int32_t m) {
    const Message& message = messages.all[m];
    return std::tuple(messages.channels[message.channel].from, times.send[m],
                      time[m], message.channel, message.position);
  };
  std::sort(times.send_order.begin(), times.send_order.end(),
            [&](int32_t a, int32_t b) { return key(a) < key(b); });
  return times;
}

}  // namespace octopipe
