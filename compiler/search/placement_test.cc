#include "compiler/search/placement.h"

#include <algorithm>
#include <random>
#include <vector>

#include "compiler/schedule/stage_table.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Problem OneLayerStages(const std::vector<Nanos>& loads, int devices) {
  Problem problem;
  for (Nanos load : loads) {
    Layer layer;
    layer.cost.times.f_ns = load;
    problem.layers.push_back(layer);
  }
  problem.devices.resize(devices);
  return problem;
}

Partition OneLayerEach(const Problem& problem) {
  Partition partition;
  for (size_t l = 1; l <= problem.layers.size(); ++l) {
    partition.begin.push_back(l);
  }
  return partition;
}

Nanos LargestLoad(const Problem& problem, const std::vector<int>& device_of) {
  std::vector<Nanos> loads(problem.devices.size(), 0);
  for (size_t s = 0; s < device_of.size(); ++s) {
    loads[device_of[s]] +=
        TimesOn(problem.layers[s].cost, problem.devices[device_of[s]]).f_ns;
  }
  return *std::max_element(loads.begin(), loads.end());
}

Nanos LeastByTrial(const Problem& problem) {
  const int devices = problem.devices.size();
  std::vector<int> device_of(problem.layers.size(), 0);
  Nanos best = LargestLoad(problem, device_of);
  while (true) {
    size_t s = 0;
    while (s < device_of.size() && ++device_of[s] == devices) {
      device_of[s++] = 0;
    }
    if (s == device_of.size()) return best;
    best = std::min(best, LargestLoad(problem, device_of));
  }
}

// Longest first alone gives 3 + 2 + 2 and 3 + 2; a swap finds 3 + 3 and 2 + 2
// + 2.
TEST(BalancedPlacement, SwapsWhereLongestFirstIsNotBest) {
  const Problem problem = OneLayerStages({3, 3, 2, 2, 2}, 2);
  EXPECT_EQ(
      LargestLoad(problem,
                  BalancedPlacement(problem, OneLayerEach(problem)).device),
      6);
}

TEST(BalancedPlacement, GivesAFastDeviceMore) {
  Problem problem = OneLayerStages({4, 4, 4}, 2);
  problem.devices[1].speed_permille = 2000;
  const Placement placement = BalancedPlacement(problem, OneLayerEach(problem));
  EXPECT_EQ(std::count(placement.device.begin(), placement.device.end(), 1), 2);
}

TEST(BalancedPlacement, AvoidsAFullDevice) {
  Problem problem = OneLayerStages({4, 4, 4, 4}, 2);
  for (Layer& layer : problem.layers) layer.cost.memory.param_bytes = 10;
  problem.devices[0].memory_bytes = 19;
  const Placement placement = BalancedPlacement(problem, OneLayerEach(problem));
  EXPECT_EQ(std::count(placement.device.begin(), placement.device.end(), 0), 1);
}

TEST(BalancedPlacement, KeepsGrahamsBound) {
  std::mt19937_64 random(1);
  int optimal = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Nanos> loads(1 + random() % 7);
    for (Nanos& load : loads) load = random() % 30;
    const Problem problem = OneLayerStages(loads, 1 + random() % 3);
    const Nanos found = LargestLoad(
        problem, BalancedPlacement(problem, OneLayerEach(problem)).device);
    const Nanos least = LeastByTrial(problem);
    const Nanos devices = problem.devices.size();
    EXPECT_LE(3 * devices * found, (4 * devices - 1) * least);
    optimal += found == least;
  }
  EXPECT_GT(optimal, 450);
}

}  // namespace
}  // namespace octopipe
