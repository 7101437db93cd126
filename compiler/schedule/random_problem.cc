#include "compiler/schedule/random_problem.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

// Zero now and then.
int64_t Quantity(std::mt19937_64& random) {
  return Uniform(random, 0, 7) == 0 ? 0 : Uniform(random, 1, 60);
}

LayerTimes RandomTimes(std::mt19937_64& random) {
  LayerTimes times;
  times.f_ns = Quantity(random);
  times.b_ns = Quantity(random);
  times.w_ns = Quantity(random);
  return times;
}

Layer RandomLayer(int index, bool is_chain, std::mt19937_64& random) {
  Layer layer;
  layer.name = absl::StrCat("layer", index);
  layer.cost.times = RandomTimes(random);
  if (Uniform(random, 0, 3) == 0) {
    layer.cost.times_on = {{"slow", RandomTimes(random)}};
  }
  LayerMemory& memory = layer.cost.memory;
  memory.param_bytes = Quantity(random);
  memory.grad_bytes = Quantity(random);
  memory.optimizer_bytes = Quantity(random);
  memory.saved_b_bytes = Quantity(random);
  memory.saved_w_bytes = Quantity(random);
  memory.f_workspace_bytes = Quantity(random);
  memory.b_workspace_bytes = Quantity(random);
  layer.output_bytes = Quantity(random);
  layer.output_grad_bytes = Quantity(random);
  layer.cost.splittable = Uniform(random, 0, 5) != 0;
  if (is_chain) {
    if (index > 0) layer.inputs = {index - 1};
    return layer;
  }
  layer.needs_grad = Uniform(random, 0, 4) != 0;
  for (int input = 0; input < index; ++input) {
    if (Uniform(random, 0, index - input) == 0) layer.inputs.push_back(input);
  }
  return layer;
}

void ShareParameters(Problem& problem, std::mt19937_64& random) {
  if (problem.layers.size() < 2 || Uniform(random, 0, 1) == 0) return;
  Layer& first = problem.layers.front();
  Layer& last = problem.layers.back();
  first.shares = last.shares = "tied";
  last.cost.memory.param_bytes = first.cost.memory.param_bytes;
}

}  // namespace

int64_t Uniform(std::mt19937_64& random, int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int64_t>(random() % span);
}

Problem RandomProblem(const ProblemShape& shape, std::mt19937_64& random) {
  Problem problem;
  problem.name = "random";
  const bool is_chain = Uniform(random, 0, 1) == 0;
  const int layers = Uniform(random, 1, shape.max_layers);
  const int devices = Uniform(random, 1, shape.max_devices);
  problem.micro_batches = Uniform(random, 1, shape.max_micro_batches);
  problem.launch_overhead_ns = Quantity(random);
  for (int l = 0; l < layers; ++l) {
    problem.layers.push_back(RandomLayer(l, is_chain, random));
  }
  ShareParameters(problem, random);
  for (int d = 0; d < devices; ++d) {
    Device device;
    device.name = absl::StrCat("device", d);
    device.kind = Uniform(random, 0, 3) == 0 ? "slow" : "fast";
    device.speed_permille = Uniform(random, 500, 1500);
    problem.devices.push_back(device);
  }
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to || Uniform(random, 0, 3) == 0) continue;
      problem.links.push_back(
          {from, to, Quantity(random), Quantity(random), ""});
    }
  }
  return problem;
}

Partition RandomPartition(const Problem& problem, int stages,
                          std::mt19937_64& random) {
  std::vector<int> cuts(problem.layers.size() - 1);
  std::iota(cuts.begin(), cuts.end(), 1);
  std::shuffle(cuts.begin(), cuts.end(), random);
  cuts.resize(stages - 1);
  std::sort(cuts.begin(), cuts.end());
  Partition partition;
  partition.begin.insert(partition.begin.end(), cuts.begin(), cuts.end());
  partition.begin.push_back(static_cast<int>(problem.layers.size()));
  return partition;
}

Placement RandomPlacement(PlacementShape shape, int stages, int devices,
                          std::mt19937_64& random) {
  Placement placement;
  for (int s = 0; s < stages; ++s) {
    placement.device.push_back(Uniform(random, 0, devices - 1));
  }
  if (shape == PlacementShape::kAny) return placement;
  const auto begin = placement.device.begin();
  const auto turn = shape == PlacementShape::kWave
                        ? begin + Uniform(random, 1, stages)
                        : placement.device.end();
  std::sort(begin, turn);
  // The way back visits only devices that the way there did.
  for (auto it = turn; it != placement.device.end(); ++it) {
    *it = *(begin + Uniform(random, 0, turn - begin - 1));
  }
  std::sort(turn, placement.device.end());
  std::reverse(turn, placement.device.end());
  std::vector<int> names(devices);
  std::iota(names.begin(), names.end(), 0);
  std::shuffle(names.begin(), names.end(), random);
  for (int& device : placement.device) device = names[device];
  return placement;
}

}  // namespace octopipe
