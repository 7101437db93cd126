#include "compiler/transfers/messages.h"

#include <algorithm>
#include <utility>

#include "compiler/transfers/channel_numbers.h"
#include "compiler/transfers/counting_sort.h"

namespace octopipe {
namespace {

// Where F and the item that yields the input gradient stand in their programs.
class Positions {
 public:
  Positions(const StageTable& table, const Order& order)
      : micro_batches_(table.micro_batches),
        positions_(2 * table.stages.size() * table.micro_batches) {
    for (const std::vector<WorkItem>& program : order.programs) {
      for (size_t p = 0; p < program.size(); ++p) {
        const WorkItem& item = program[p];
        if (item.kind == WorkKind::kWeightGradient) continue;
        At(item.stage, item.micro_batch, item.kind != WorkKind::kForward) =
            static_cast<int32_t>(p);
      }
    }
  }

  int32_t& At(int64_t stage, int64_t micro_batch, bool is_gradient) {
    return positions_[2 * (stage * micro_batches_ + micro_batch) + is_gradient];
  }

 private:
  int64_t micro_batches_;
  std::vector<int32_t> positions_;
};

}  // namespace

Messages CollectMessages(const StageTable& table, const Order& order,
                         bool channel_per_kind) {
  Messages result;
  const std::vector<EdgeChannels> routes =
      NumberChannels(table, channel_per_kind, result.channels);
  Positions positions(table, order);
  int64_t items = 0;
  for (const auto& program : order.programs) {
    result.device_begin.push_back(items);
    items += static_cast<int64_t>(program.size());
  }
  result.device_begin.push_back(items);
  result.made_begin.reserve(items + 1);
  result.all.reserve(items);

  std::vector<int32_t> sent(result.channels.size(), 0);
  auto add = [&](int edge, int channel, int32_t producer, int consumer,
                 const WorkItem& item, bool is_gradient) {
    if (channel < 0) return;
    result.all.push_back(
        {producer, positions.At(consumer, item.micro_batch, is_gradient),
         channel, sent[channel]++, edge, item.micro_batch, is_gradient});
  };
  for (const std::vector<WorkItem>& program : order.programs) {
    for (size_t p = 0; p < program.size(); ++p) {
      const WorkItem& item = program[p];
      result.made_begin.push_back(static_cast<int32_t>(result.all.size()));
      if (item.kind == WorkKind::kWeightGradient) continue;
      if (item.kind == WorkKind::kForward) {
        for (int e : table.out_edges[item.stage]) {
          add(e, routes[e].activation, p, table.edges[e].to, item, false);
        }
      } else {
        for (int e : table.in_edges[item.stage]) {
          add(e, routes[e].gradient, p, table.edges[e].from, item, true);
        }
      }
    }
  }
  result.made_begin.push_back(static_cast<int32_t>(result.all.size()));

  const std::vector<Message>& all = result.all;
  result.by_channel = CountingSort(
      all.size(), result.channels.size(),
      [&](int64_t i) { return all[i].channel; }, result.channel_begin);
  result.reads = CountingSort(
      all.size(), items,
      [&](int64_t i) {
        return result.device_begin[result.channels[all[i].channel].to] +
               all[i].consumer;
      },
      result.reads_begin);
  return result;
}

void OrderByConsumer(Messages& messages) {
  for (size_t c = 0; c < messages.channels.size(); ++c) {
    const auto begin = messages.by_channel.begin() + messages.channel_begin[c];
    const auto end =
        messages.by_channel.begin() + messages.channel_begin[c + 1];
    // Numbers ascend with the producer.
    std::sort(begin, end, [&](int32_t a, int32_t b) {
      return std::pair(messages.all[a].consumer, a) <
             std::pair(messages.all[b].consumer, b);
    });
    for (auto it = begin; it != end; ++it) {
      messages.all[*it].position = static_cast<int32_t>(it - begin);
    }
  }
}

}  // namespace octopipe
