#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/problem.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Nanos Packing(const Problem& problem) {
  const Bound bound = PackingBound(problem, WorkBound(problem));
  EXPECT_EQ(bound.kind, BoundKind::kPacking);
  return bound.ns;
}

TEST(PackingBound, PacksWholeLayers) {
  // 3, 2, 3, 2, 2 into two of 6 each: only as 3 + 3 and 2 + 2 + 2.
  const Problem problem = ChainProblem(
      {{1, 1, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 0}, {1, 1, 0}}, 2, 10);
  // The latter starts after F of layer 0 and has no W for the tail of B and W.
  EXPECT_EQ(WorkBound(problem).ns, 60);
  EXPECT_EQ(Packing(problem), 1 + 60 + 2);
}

TEST(PackingBound, KnowsWhatRunsBeforeTheTurn) {
  // Two equal layers and a last one as heavy as both, on two devices. Its
  // device is busy with it from its head on.
  const Problem problem = ChainProblem({{2, 2, 2}, {2, 2, 2}, {4, 4, 4}}, 2, 5);
  EXPECT_EQ(WorkBound(problem).ns, 60);
  EXPECT_EQ(Packing(problem), 4 + 60);
}

TEST(PackingBound, TakesNoLayerApartOnUnequalDevices) {
  // The fast device does 2 of the 3 layers, not 1.5 and not 3.
  Problem problem = ChainProblem({{20, 0, 0}, {20, 0, 0}, {20, 0, 0}}, 2, 1);
  problem.devices[1].speed_permille = 2000;
  problem.micro_batches = 100;
  // Both are full, and one starts after F of layer 0, which takes 10 at least.
  EXPECT_EQ(Packing(problem), 10 + 2000);
  problem.devices[1].speed_permille = 1000;
  EXPECT_EQ(Packing(problem), 4000);
}

TEST(PackingBound, NeverRisesWithDevicesOrSpeed) {
  const std::vector<LayerTimes> times = {{3, 5, 2}, {4, 4, 4}, {3, 5, 2},
                                         {6, 7, 1}, {4, 4, 4}, {3, 5, 2},
                                         {4, 4, 4}, {9, 9, 9}};
  Nanos before = Packing(ChainProblem(times, 1, 7));
  for (int devices = 2; devices <= 9; ++devices) {
    const Problem problem = ChainProblem(times, devices, 7);
    const Nanos now = Packing(problem);
    EXPECT_LE(now, before);
    for (int fast = 0; fast < devices; ++fast) {
      Problem faster = problem;
      faster.devices[fast].speed_permille = 1500;
      EXPECT_LE(Packing(faster), now);
    }
    before = now;
  }
}

// More types of device than every order of them can be tried for.
TEST(PackingBound, HandlesManyTypesOfDevices) {
  Problem problem =
      ChainProblem(std::vector<LayerTimes>(40, {100, 100, 100}), 12, 24);
  const Nanos equal = Packing(problem);
  for (int d = 0; d < 12; ++d) problem.devices[d].speed_permille = 1000 - d;
  EXPECT_GE(Packing(problem), equal);
  // The slowest would need this much more for the same layers.
  EXPECT_LE(Packing(problem), equal * 103 / 100);
}

TEST(PackingBound, HandlesLayersThatAllDiffer) {
  std::vector<LayerTimes> times;
  for (int l = 0; l < 150; ++l) {
    times.push_back({100000 + l * 7919 % 1000, 100000 + l * 104729 % 1000,
                     100000 + l * 1299709 % 1000});
  }
  const Problem problem = ChainProblem(times, 16, 32);
  // 150 layers on 16 devices: 10 on one.
  EXPECT_GE(Packing(problem), 32 * 10 * 300000);
}

}  // namespace
}  // namespace octopipe
