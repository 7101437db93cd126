#include "compiler/simulator/random_instance.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {
namespace {

// Zero now and then.
int64_t Quantity(std::mt19937_64& random, int64_t bound) {
  return Below(random, 8) == 0 ? 0 : Below(random, bound);
}

Layer RandomLayer(int index, bool chain, std::mt19937_64& random) {
  Layer layer;
  layer.name = std::to_string(index);
  layer.cost.times = {Quantity(random, 50), Quantity(random, 50),
                      Quantity(random, 50)};
  LayerMemory& memory = layer.cost.memory;
  memory.param_bytes = Quantity(random, 20);
  memory.saved_b_bytes = Quantity(random, 30);
  memory.saved_w_bytes = Quantity(random, 30);
  memory.f_workspace_bytes = Quantity(random, 15);
  memory.b_workspace_bytes = Quantity(random, 15);
  layer.output_bytes = Quantity(random, 40);
  layer.output_grad_bytes = Quantity(random, 40);
  if (chain) {
    if (index > 0) layer.inputs = {index - 1};
    return layer;
  }
  layer.needs_grad = Below(random, 5) != 0;
  layer.cost.splittable = Below(random, 5) != 0;
  for (int input = 0; input < index; ++input) {
    if (Below(random, index - input + 1) == 0) layer.inputs.push_back(input);
  }
  return layer;
}

// One to three ports for all links, or one for those that leave a device.
void SharePorts(Problem* problem, std::mt19937_64& random) {
  const int ports = static_cast<int>(Below(random, 4));
  for (Link& link : problem->links) {
    if (Below(random, 8) == 0) continue;
    link.bytes_per_us = 100 * Below(random, 9);
    link.port = std::to_string(ports == 0 ? link.from : Below(random, ports));
  }
}

void Scale(int scale, Problem* problem) {
  problem->launch_overhead_ns *= scale;
  for (Layer& layer : problem->layers) {
    LayerTimes& times = layer.cost.times;
    times = {times.f_ns * scale, times.b_ns * scale, times.w_ns * scale};
    layer.output_bytes *= scale;
    layer.output_grad_bytes *= scale;
  }
  for (Link& link : problem->links) link.latency_ns *= scale;
}

}  // namespace

StageTable RandomTable(const InstanceShape& shape, std::mt19937_64& random) {
  Problem problem;
  const int stages = 1 + Below(random, shape.max_stages);
  const int devices = 1 + Below(random, shape.max_devices);
  problem.micro_batches = 1 + Below(random, shape.max_micro_batches);
  problem.launch_overhead_ns = Quantity(random, 4);
  for (int s = 0; s < stages; ++s) {
    problem.layers.push_back(RandomLayer(s, shape.chain, random));
  }
  problem.devices.resize(devices);
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to || Below(random, 4) == 0) continue;
      problem.links.push_back(
          {from, to, Quantity(random, 20), 1000 * Quantity(random, 3), ""});
    }
  }
  if (shape.ports) SharePorts(&problem, random);
  if (shape.scale != 1) Scale(shape.scale, &problem);
  Partition partition;
  Placement placement;
  for (int s = 0; s < stages; ++s) {
    partition.begin.push_back(s + 1);
    placement.device.push_back(Below(random, devices));
  }
  return BuildStageTable(problem, partition, placement);
}

Order RandomOrder(const StageTable& table, std::mt19937_64& random) {
  const int stages = table.num_stages();
  Order order;
  order.programs.resize(table.num_devices);
  std::vector<WorkItem> todo;
  for (int m = 0; m < table.micro_batches; ++m) {
    for (int s = 0; s < stages; ++s) {
      todo.push_back(Forward(s, m));
      if (Below(random, 2) == 0) {
        todo.push_back(Backward(s, m));
      } else {
        todo.push_back(InputGradient(s, m));
        todo.push_back(WeightGradient(s, m));
      }
    }
  }
  std::vector<bool> forward(stages * table.micro_batches, false);
  std::vector<bool> gradient(stages * table.micro_batches, false);
  auto at = [&](int stage, int micro_batch) {
    return stage * table.micro_batches + micro_batch;
  };
  auto can_run = [&](const WorkItem& item) {
    const int s = item.stage;
    const int m = item.micro_batch;
    if (item.kind == WorkKind::kWeightGradient) return bool{gradient[at(s, m)]};
    if (item.kind == WorkKind::kForward) {
      return std::all_of(
          table.in_edges[s].begin(), table.in_edges[s].end(),
          [&](int e) { return forward[at(table.edges[e].from, m)]; });
    }
    return forward[at(s, m)] &&
           std::all_of(table.out_edges[s].begin(), table.out_edges[s].end(),
                       [&](int e) {
                         const StageEdge& edge = table.edges[e];
                         return !edge.needs_grad || gradient[at(edge.to, m)];
                       });
  };
  while (!todo.empty()) {
    const size_t i = Below(random, todo.size());
    const WorkItem item = todo[i];
    if (!can_run(item)) continue;
    const int index = at(item.stage, item.micro_batch);
    if (item.kind == WorkKind::kForward) {
      forward[index] = true;
    } else if (item.kind != WorkKind::kWeightGradient) {
      gradient[index] = true;
    }
    order.programs[table.stages[item.stage].device].push_back(item);
    todo.erase(todo.begin() + i);
  }
  return order;
}

Order ShuffledOrder(const StageTable& table, std::mt19937_64& random) {
  Order order;
  order.programs.resize(table.num_devices);
  for (int s = 0; s < table.num_stages(); ++s) {
    std::vector<WorkItem>& program = order.programs[table.stages[s].device];
    for (int m = 0; m < table.micro_batches; ++m) {
      program.push_back(Forward(s, m));
      program.push_back(InputGradient(s, m));
      program.push_back(WeightGradient(s, m));
    }
  }
  for (std::vector<WorkItem>& program : order.programs) {
    for (size_t i = program.size(); i > 1; --i) {
      std::swap(program[i - 1], program[Below(random, i)]);
    }
  }
  return order;
}

}  // namespace octopipe
