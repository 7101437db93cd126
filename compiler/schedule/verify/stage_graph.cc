#include "compiler/schedule/verify/stage_graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/string_view.h"

namespace octopipe {
namespace {

void SortUnique(std::vector<int>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<StageNode> BuildStageGraph(const Problem& problem,
                                       const Partition& partition) {
  std::vector<StageNode> graph(partition.stages());
  std::vector<int> stage_of(problem.layers.size());
  for (int s = 0; s < partition.stages(); ++s) {
    StageNode& node = graph[s];
    for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
      stage_of[l] = s;
      const LayerCost& cost = problem.layers[l].cost;
      node.saved_b_bytes += cost.memory.saved_b_bytes;
      node.saved_w_bytes += cost.memory.saved_w_bytes;
      node.f_workspace_bytes =
          std::max(node.f_workspace_bytes, cost.memory.f_workspace_bytes);
      node.b_workspace_bytes =
          std::max(node.b_workspace_bytes, cost.memory.b_workspace_bytes);
      if (!cost.splittable && node.unsplittable_layer < 0) {
        node.unsplittable_layer = l;
      }
      for (int input : problem.layers[l].inputs) {
        const int producer = stage_of[input];
        if (producer == s) continue;
        node.producers.push_back(producer);
        if (problem.layers[input].needs_grad) {
          graph[producer].gradient_sources.push_back(s);
        }
      }
    }
  }
  for (StageNode& node : graph) {
    SortUnique(node.producers);
    SortUnique(node.gradient_sources);
  }
  return graph;
}

std::vector<Bytes> StaticBytesOfDevices(const Problem& problem,
                                        const Partition& partition,
                                        const Placement& placement) {
  std::vector<Bytes> bytes(problem.devices.size(), 0);
  std::set<std::pair<int, absl::string_view>> held;
  for (int s = 0; s < partition.stages(); ++s) {
    const int device = placement.device[s];
    for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
      const Layer& layer = problem.layers[l];
      const bool is_held =
          !layer.shares.empty() && !held.insert({device, layer.shares}).second;
      if (is_held) continue;
      bytes[device] += layer.cost.memory.param_bytes +
                       layer.cost.memory.grad_bytes +
                       layer.cost.memory.optimizer_bytes;
    }
  }
  return bytes;
}

}  // namespace octopipe
