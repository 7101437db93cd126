#include "tests/oracles/exact/small_problem.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {
namespace {

struct Features {
  bool alike = false;
  bool links = false;
  bool memory = false;
  bool speeds = false;
  bool overhead = false;
  bool graph = false;
};

Features FeaturesOf(int index) {
  const int family = index % kSmallFamilies;
  const bool all = family == 7;
  Features features;
  features.alike = family == 0 && index / kSmallFamilies % 2 == 1;
  features.links = all || family == 1 || family == 6;
  features.memory = all || family == 2 || family == 6;
  features.speeds = all || family == 3;
  features.overhead = all || family == 4;
  features.graph = all || family == 5;
  return features;
}

// Zero now and then.
int64_t Quantity(int64_t most, std::mt19937_64& random) {
  return Uniform(random, 0, 9) == 0 ? 0 : Uniform(random, 1, most);
}

LayerTimes RandomTimes(std::mt19937_64& random) {
  LayerTimes times;
  times.f_ns = Quantity(30, random);
  times.b_ns = Quantity(40, random);
  times.w_ns = Quantity(30, random);
  return times;
}

Layer RandomLayer(int index, const Features& features,
                  std::mt19937_64& random) {
  Layer layer;
  layer.name = absl::StrCat("layer", index);
  layer.cost.times = RandomTimes(random);
  if (features.speeds && Uniform(random, 0, 2) == 0) {
    layer.cost.times_on = {{"other", RandomTimes(random)}};
  }
  LayerMemory& memory = layer.cost.memory;
  memory.param_bytes = Uniform(random, 0, 20);
  memory.saved_b_bytes = Quantity(20, random);
  memory.saved_w_bytes = Quantity(20, random);
  memory.f_workspace_bytes = Quantity(10, random);
  memory.b_workspace_bytes = Quantity(10, random);
  layer.output_bytes = Quantity(20, random);
  layer.output_grad_bytes = Quantity(20, random);
  if (features.overhead) layer.cost.splittable = Uniform(random, 0, 2) != 0;
  if (index > 0) layer.inputs = {index - 1};
  if (!features.graph) return layer;
  layer.needs_grad = Uniform(random, 0, 5) != 0;
  if (index > 1 && Uniform(random, 0, 1) == 0) {
    const int skipped = static_cast<int>(Uniform(random, 0, index - 2));
    layer.inputs.insert(layer.inputs.begin(), skipped);
  }
  return layer;
}

void MakeAlike(Problem& problem) {
  // As an embedding, blocks and a head.
  for (size_t l = 2; l + 1 < problem.layers.size(); ++l) {
    problem.layers[l].cost.times = problem.layers[1].cost.times;
  }
}

// Enough for a plan with layers in runs of equal length on the devices and a
// few micro-batches in flight.
void LimitMemory(Problem& problem, std::mt19937_64& random) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  Partition partition;
  Placement placement;
  for (int d = 0; d < devices; ++d) {
    partition.begin.push_back(layers * (d + 1) / devices);
    placement.device.push_back(d);
  }
  const StageTable table = BuildStageTable(problem, partition, placement);
  const bool equal = Uniform(random, 0, 1) == 0;
  const int64_t in_flight = Uniform(random, 1, problem.micro_batches);
  Bytes most = 0;
  for (int d = 0; d < devices; ++d) {
    const StageCost& stage = table.stages[d];
    const Bytes need =
        table.static_bytes[d] + in_flight * stage.saved_bytes() +
        std::max(stage.f_workspace_bytes, stage.b_workspace_bytes);
    // A limit of 0 would be none.
    problem.devices[d].memory_bytes = std::max<Bytes>(need, 1);
    most = std::max(most, need);
  }
  if (!equal) return;
  for (Device& device : problem.devices) device.memory_bytes = most;
}

void AddLinks(Problem& problem, std::mt19937_64& random) {
  const int devices = static_cast<int>(problem.devices.size());
  const bool equal = Uniform(random, 0, 1) == 0;
  Link link{0, 0, Quantity(12, random), Uniform(random, 500, 3000), ""};
  for (link.from = 0; link.from < devices; ++link.from) {
    for (link.to = 0; link.to < devices; ++link.to) {
      if (link.from == link.to) continue;
      if (!equal) {
        if (Uniform(random, 0, 4) == 0) continue;
        link.latency_ns = Quantity(12, random);
        link.bytes_per_us = Quantity(3000, random);
      }
      problem.links.push_back(link);
    }
  }
}

}  // namespace

Problem SmallProblem(int index) {
  std::mt19937_64 random(static_cast<uint64_t>(index) + 1);
  const Features features = FeaturesOf(index);
  Problem problem;
  problem.name = absl::StrCat("small", index);
  const int devices = Uniform(random, 0, 2) == 0 ? 3 : 2;
  problem.micro_batches = Uniform(random, 2, 4);
  // What a solver proves in a second or so.
  const int64_t most_layers = std::min<int64_t>(
      6, (features.overhead ? 8 : 12) / problem.micro_batches);
  const int layers =
      static_cast<int>(Uniform(random, 3, std::max<int64_t>(3, most_layers)));
  for (int l = 0; l < layers; ++l) {
    problem.layers.push_back(RandomLayer(l, features, random));
  }
  if (features.alike) MakeAlike(problem);
  if (features.graph && Uniform(random, 0, 1) == 0) {
    Layer& first = problem.layers.front();
    Layer& last = problem.layers.back();
    first.shares = last.shares = "tied";
    last.cost.memory.param_bytes = first.cost.memory.param_bytes;
  }
  if (features.overhead) problem.launch_overhead_ns = Uniform(random, 1, 6);
  for (int d = 0; d < devices; ++d) {
    Device device{absl::StrCat("device", d), "one"};
    if (features.speeds) {
      device.speed_permille = Uniform(random, 500, 1500);
      if (Uniform(random, 0, 2) == 0) device.kind = "other";
    }
    problem.devices.push_back(device);
  }
  if (features.links) AddLinks(problem, random);
  if (features.memory) LimitMemory(problem, random);
  return problem;
}

}  // namespace octopipe
