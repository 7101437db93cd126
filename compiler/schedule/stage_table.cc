#include "compiler/schedule/stage_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace octopipe {
namespace {

// value · 1000 / divisor, rounded up. Exact for all values: the product may not
// fit in 64 bits where value or divisor is large. CheckProblem bounds the
// result.
int64_t ThousandTimesOver(int64_t value, int64_t divisor) {
  const absl::uint128 product = absl::uint128(value) * 1000;
  return static_cast<int64_t>((product + divisor - 1) / divisor);
}

Nanos AtSpeed(Nanos value, int64_t speed_permille) {
  if (speed_permille == 1000) return value;
  return ThousandTimesOver(value, speed_permille);
}

}  // namespace

LayerTimes TimesOn(const LayerCost& cost, const Device& device) {
  for (const auto& [kind, times] : cost.times_on) {
    if (kind == device.kind) return times;
  }
  return {AtSpeed(cost.times.f_ns, device.speed_permille),
          AtSpeed(cost.times.b_ns, device.speed_permille),
          AtSpeed(cost.times.w_ns, device.speed_permille)};
}

namespace {

StageCost SumLayers(const Problem& problem, int begin, int end, int device) {
  StageCost stage;
  stage.device = device;
  for (int l = begin; l < end; ++l) {
    const LayerCost& cost = problem.layers[l].cost;
    const LayerTimes times = TimesOn(cost, problem.devices[device]);
    stage.f_ns += times.f_ns;
    stage.b_ns += times.b_ns;
    stage.w_ns += times.w_ns;
    stage.saved_b_bytes += cost.memory.saved_b_bytes;
    stage.saved_w_bytes += cost.memory.saved_w_bytes;
    stage.f_workspace_bytes =
        std::max(stage.f_workspace_bytes, cost.memory.f_workspace_bytes);
    stage.b_workspace_bytes =
        std::max(stage.b_workspace_bytes, cost.memory.b_workspace_bytes);
    stage.splittable &= cost.splittable;
  }
  const Nanos overhead = problem.launch_overhead_ns;
  stage.bw_ns = stage.b_ns + stage.w_ns + overhead;
  stage.f_ns += overhead;
  stage.b_ns += overhead;
  stage.w_ns += overhead;
  return stage;
}

std::vector<StageEdge> CollectEdges(const Problem& problem,
                                    const Partition& partition) {
  std::vector<int> stage_of(problem.layers.size());
  for (int s = 0; s < partition.stages(); ++s) {
    for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
      stage_of[l] = s;
    }
  }
  std::map<std::pair<int, int>, StageEdge> edges;
  // A tensor that several layers of one stage read is sent to it once.
  absl::flat_hash_set<std::pair<int, int>> sent;
  for (int l = 0; l < static_cast<int>(problem.layers.size()); ++l) {
    for (int input : problem.layers[l].inputs) {
      const int from = stage_of[input];
      const int to = stage_of[l];
      if (from == to || !sent.insert({input, to}).second) continue;
      auto [it, is_new] = edges.try_emplace({from, to});
      StageEdge& edge = it->second;
      const Layer& producer = problem.layers[input];
      edge.from = from;
      edge.to = to;
      edge.activation_bytes += producer.output_bytes;
      if (is_new) edge.needs_grad = false;
      if (producer.needs_grad) {
        edge.gradient_bytes += producer.output_grad_bytes;
        edge.needs_grad = true;
      }
    }
  }
  std::vector<StageEdge> sorted;
  sorted.reserve(edges.size());
  for (auto& [ends, edge] : edges) sorted.push_back(edge);
  return sorted;
}

void RouteEdges(const Problem& problem, const Placement& placement,
                std::vector<StageEdge>& edges) {
  absl::flat_hash_map<std::pair<int, int>, int> channel;
  for (int c = 0; c < static_cast<int>(problem.links.size()); ++c) {
    channel[{problem.links[c].from, problem.links[c].to}] = c;
  }
  auto route = [&](int from, int to, Bytes bytes, Nanos* transfer_ns,
                   Nanos* latency_ns, int* id) {
    auto it = channel.find({from, to});
    if (from == to || it == channel.end()) return;
    const Link& link = problem.links[it->second];
    *id = it->second;
    *latency_ns = link.latency_ns;
    if (link.bytes_per_us > 0) {
      *transfer_ns = ThousandTimesOver(bytes, link.bytes_per_us);
    }
  };
  for (StageEdge& edge : edges) {
    const int from = placement.device[edge.from];
    const int to = placement.device[edge.to];
    route(from, to, edge.activation_bytes, &edge.activation_transfer_ns,
          &edge.activation_latency_ns, &edge.activation_channel);
    if (edge.needs_grad) {
      route(to, from, edge.gradient_bytes, &edge.gradient_transfer_ns,
            &edge.gradient_latency_ns, &edge.gradient_channel);
    }
  }
}

// Linear in the links only where edges meet at a port; most tables of a search
// have no such port.
std::vector<SharedPort> FindSharedPorts(const Problem& problem,
                                        const std::vector<StageEdge>& edges) {
  std::vector<int> used;
  for (const StageEdge& edge : edges) {
    if (edge.activation_transfer_ns > 0)
      used.push_back(edge.activation_channel);
    if (edge.gradient_transfer_ns > 0) used.push_back(edge.gradient_channel);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<SharedPort> ports;
  absl::flat_hash_map<absl::string_view, int> port_of;
  for (int c : used) {
    const Link& link = problem.links[c];
    if (link.port.empty()) continue;
    auto [it, is_new] =
        port_of.try_emplace(link.port, static_cast<int>(ports.size()));
    if (is_new) ports.emplace_back();
    SharedPort& port = ports[it->second];
    port.channels.push_back({c, link.bytes_per_us});
    port.bytes_per_us = std::max(port.bytes_per_us, link.bytes_per_us);
  }
  auto can_wait = [](const SharedPort& port) {
    absl::int128 all = 0;
    for (const auto& channel : port.channels) all += channel.bytes_per_us;
    return all > port.bytes_per_us;
  };
  if (std::none_of(ports.begin(), ports.end(), can_wait)) return {};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const SharedPort& port : ports) {
    least = std::min(least, port.bytes_per_us);
  }
  for (const Link& link : problem.links) {
    if (link.bytes_per_us <= least) continue;
    const auto it = port_of.find(link.port);
    if (it == port_of.end()) continue;
    int64_t& bytes_per_us = ports[it->second].bytes_per_us;
    bytes_per_us = std::max(bytes_per_us, link.bytes_per_us);
  }
  ports.erase(
      std::remove_if(ports.begin(), ports.end(),
                     [&](const SharedPort& port) { return !can_wait(port); }),
      ports.end());
  return ports;
}

std::vector<Bytes> StaticBytes(const Problem& problem,
                               const Partition& partition,
                               const Placement& placement) {
  std::vector<Bytes> bytes(problem.devices.size(), 0);
  absl::flat_hash_set<std::pair<int, std::string>> held;
  for (int s = 0; s < partition.stages(); ++s) {
    const int device = placement.device[s];
    for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
      const Layer& layer = problem.layers[l];
      if (!layer.shares.empty() &&
          !held.insert({device, layer.shares}).second) {
        continue;
      }
      const LayerMemory& memory = layer.cost.memory;
      bytes[device] +=
          memory.param_bytes + memory.grad_bytes + memory.optimizer_bytes;
    }
  }
  return bytes;
}

bool IsChain(const std::vector<StageEdge>& edges, int stages) {
  if (static_cast<int>(edges.size()) != stages - 1) return false;
  for (int s = 0; s + 1 < stages; ++s) {
    if (edges[s].from != s || edges[s].to != s + 1 || !edges[s].needs_grad) {
      return false;
    }
  }
  return true;
}

}  // namespace

Nanos BusiestDeviceWork(const StageTable& table) {
  std::vector<Nanos> work(table.num_devices, 0);
  for (const StageCost& stage : table.stages) {
    work[stage.device] +=
        stage.f_ns + std::min(stage.bw_ns, stage.b_ns + stage.w_ns);
  }
  return *std::max_element(work.begin(), work.end());
}

StageTable BuildStageTable(const Problem& problem, const Partition& partition,
                           const Placement& placement) {
  StageTable table;
  const int stages = partition.stages();
  table.num_devices = static_cast<int>(problem.devices.size());
  table.num_channels = static_cast<int>(problem.links.size());
  table.micro_batches = static_cast<int>(problem.micro_batches);
  table.stages.reserve(stages);
  for (int s = 0; s < stages; ++s) {
    table.stages.push_back(SumLayers(problem, partition.begin[s],
                                     partition.begin[s + 1],
                                     placement.device[s]));
  }
  table.edges = CollectEdges(problem, partition);
  RouteEdges(problem, placement, table.edges);
  table.shared_ports = FindSharedPorts(problem, table.edges);
  table.in_edges.resize(stages);
  table.out_edges.resize(stages);
  for (int e = 0; e < static_cast<int>(table.edges.size()); ++e) {
    table.out_edges[table.edges[e].from].push_back(e);
    table.in_edges[table.edges[e].to].push_back(e);
  }
  table.static_bytes = StaticBytes(problem, partition, placement);
  for (const Device& device : problem.devices) {
    table.memory_bytes.push_back(device.memory_bytes);
  }
  table.is_chain = IsChain(table.edges, stages);
  return table;
}

}  // namespace octopipe
