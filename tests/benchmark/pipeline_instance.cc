#include "tests/benchmark/pipeline_instance.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {

StageTable PipelineTable(int stages, int devices, int64_t items, int kinds) {
  Problem problem;
  problem.micro_batches = std::max<int64_t>(1, items / (kinds * stages));
  problem.devices.resize(devices);
  Partition partition;
  Placement placement;
  for (int s = 0; s < stages; ++s) {
    Layer layer;
    layer.name = std::to_string(s);
    const Nanos f = 1000000 + 10000 * (s * 7 % 13);
    layer.cost.times = {f, f * 11 / 10, f * 8 / 10};
    layer.cost.memory.saved_b_bytes = 1000 + s * 3 % 5;
    layer.cost.memory.saved_w_bytes = 500;
    layer.cost.memory.f_workspace_bytes = 100;
    layer.cost.memory.b_workspace_bytes = 200;
    layer.output_bytes = layer.output_grad_bytes = 1 << 25;
    if (s > 0) layer.inputs = {s - 1};
    problem.layers.push_back(layer);
    partition.begin.push_back(s + 1);
    placement.device.push_back(s % devices);
  }
  for (int d = 0; d < devices; ++d) {
    const int next = (d + 1) % devices;
    if (next == d) continue;
    problem.links.push_back({d, next, 10000, 200000, ""});
    if (devices > 2) problem.links.push_back({next, d, 10000, 200000, ""});
  }
  return BuildStageTable(problem, partition, placement);
}

Order OneForwardOneBackward(const StageTable& table) {
  Order order;
  for (int s = 0; s < table.num_stages(); ++s) {
    std::vector<WorkItem>& program = order.programs.emplace_back();
    const int ahead = std::min(table.num_stages() - s, table.micro_batches);
    for (int m = 0; m < ahead; ++m) program.push_back(Forward(s, m));
    for (int m = 0; m < table.micro_batches; ++m) {
      program.push_back(Backward(s, m));
      if (m + ahead < table.micro_batches) {
        program.push_back(Forward(s, m + ahead));
      }
    }
  }
  return order;
}

int64_t CountItems(const Order& order) {
  int64_t items = 0;
  for (const auto& program : order.programs) {
    items += static_cast<int64_t>(program.size());
  }
  return items;
}

}  // namespace octopipe
