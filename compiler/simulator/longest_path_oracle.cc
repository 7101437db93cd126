#include "compiler/simulator/longest_path_oracle.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace octopipe {
namespace {

struct Node {
  Nanos time = 0;  // start of the item or of the message on its channel
  int missing = 0;
  std::vector<std::pair<int, Nanos>> next;  // and the least distance to it
};

Nanos Duration(const StageTable& table, const WorkItem& item) {
  const StageCost& stage = table.stages[item.stage];
  if (item.kind == WorkKind::kForward) return stage.f_ns;
  if (item.kind == WorkKind::kInputGradient) return stage.b_ns;
  if (item.kind == WorkKind::kWeightGradient) return stage.w_ns;
  return stage.bw_ns;
}

}  // namespace

std::optional<Timeline> LongestPath(const StageTable& table,
                                    const Order& order) {
  std::vector<Node> nodes;
  auto connect = [&](int from, int to, Nanos distance) {
    nodes[from].next.push_back({to, distance});
    ++nodes[to].missing;
  };
  // By stage, micro-batch and part: 0 is F, 1 is B or BW, 2 is W.
  std::map<std::tuple<int, int, int>, int> node_of;
  for (const auto& program : order.programs) {
    for (const WorkItem& item : program) {
      const int part = item.kind == WorkKind::kForward          ? 0
                       : item.kind == WorkKind::kWeightGradient ? 2
                                                                : 1;
      node_of[{item.stage, item.micro_batch, part}] =
          static_cast<int>(nodes.size());
      nodes.emplace_back();
    }
  }

  std::map<int, std::pair<int, Nanos>> last_message;  // node and transfer time
  auto send = [&](int producer, Nanos duration, int consumer, int channel,
                  Nanos transfer, Nanos latency) {
    if (channel < 0) return connect(producer, consumer, duration);
    const int message = static_cast<int>(nodes.size());
    nodes.emplace_back();
    connect(producer, message, duration);
    connect(message, consumer, transfer + latency);
    if (auto it = last_message.find(channel); it != last_message.end()) {
      connect(it->second.first, message, it->second.second);
    }
    last_message[channel] = {message, transfer};
  };

  int node = 0;
  for (const auto& program : order.programs) {
    for (size_t i = 0; i < program.size(); ++i, ++node) {
      const WorkItem& item = program[i];
      const Nanos duration = Duration(table, item);
      const int m = item.micro_batch;
      if (i + 1 < program.size()) connect(node, node + 1, duration);
      if (item.kind == WorkKind::kForward) {
        connect(node, node_of.at({item.stage, m, 1}), duration);
        for (int e : table.out_edges[item.stage]) {
          const StageEdge& edge = table.edges[e];
          send(node, duration, node_of.at({edge.to, m, 0}),
               edge.activation_channel, edge.activation_transfer_ns,
               edge.activation_latency_ns);
        }
      } else if (item.kind != WorkKind::kWeightGradient) {
        for (int e : table.in_edges[item.stage]) {
          const StageEdge& edge = table.edges[e];
          if (!edge.needs_grad) continue;
          send(node, duration, node_of.at({edge.from, m, 1}),
               edge.gradient_channel, edge.gradient_transfer_ns,
               edge.gradient_latency_ns);
        }
        if (item.kind == WorkKind::kInputGradient) {
          connect(node, node_of.at({item.stage, m, 2}), duration);
        }
      }
    }
  }

  std::vector<int> open;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].missing == 0) open.push_back(static_cast<int>(n));
  }
  size_t done = 0;
  for (; !open.empty(); ++done) {
    const Node& from = nodes[open.back()];
    open.pop_back();
    for (const auto& [to, distance] : from.next) {
      nodes[to].time = std::max(nodes[to].time, from.time + distance);
      if (--nodes[to].missing == 0) open.push_back(to);
    }
  }
  if (done != nodes.size()) return std::nullopt;

  Timeline timeline;
  node = 0;
  for (const auto& program : order.programs) {
    std::vector<Nanos>& starts = timeline.start_ns.emplace_back();
    for (const WorkItem& item : program) {
      starts.push_back(nodes[node++].time);
      timeline.makespan_ns =
          std::max(timeline.makespan_ns, starts.back() + Duration(table, item));
    }
  }
  return timeline;
}

}  // namespace octopipe
