#include "compiler/bounds/best_bound.h"

#include <limits>
#include <string>
#include <vector>

#include "compiler/schedule/chain_problem.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

std::vector<LayerTimes> Alike(int layers, LayerTimes times) {
  return std::vector<LayerTimes>(layers, times);
}

TEST(WorkBound, SharesTheWork) {
  // 5 · 4 · 6 / 4
  EXPECT_EQ(WorkBound(ChainProblem(Alike(4, {1, 3, 2}), 4, 5)).ns, 30);
  // Rounded up: 5 · 5 · 6 / 4 = 37.5
  EXPECT_EQ(WorkBound(ChainProblem(Alike(5, {1, 3, 2}), 4, 5)).ns, 38);
  // A layer stays whole on a device, so two layers use two.
  EXPECT_EQ(WorkBound(ChainProblem(Alike(2, {1, 3, 2}), 4, 5)).ns, 30);
}

TEST(WorkBound, CountsSpeed) {
  Problem problem = ChainProblem(Alike(3, {200, 200, 200}), 2, 1);
  problem.devices[1].speed_permille = 2000;
  EXPECT_EQ(WorkBound(problem).ns, 600);
}

TEST(WorkBound, CountsMeasuredTimes) {
  Problem problem = ChainProblem(Alike(2, {10, 10, 10}), 2, 1);
  problem.devices[1].kind = "h20";
  for (Layer& layer : problem.layers) {
    layer.cost.times_on = {{"h20", {30, 30, 30}}};
  }
  // Three quarters of 60 on the first.
  EXPECT_EQ(WorkBound(problem).ns, 45);
}

TEST(WorkBound, AddsTheOverheadOfOneStage) {
  Problem problem = ChainProblem(Alike(4, {1, 3, 2}), 4, 5);
  problem.launch_overhead_ns = 7;
  EXPECT_EQ(WorkBound(problem).ns, 30 + 2 * 5 * 7);
}

TEST(IndivisibleWorkBound, SeesTheLongestLayer) {
  const Bound bound =
      IndivisibleWorkBound(ChainProblem({{1, 1, 1}, {10, 10, 10}}, 2, 3));
  EXPECT_EQ(bound.ns, 90);
  EXPECT_EQ(bound.certificate,
            "layer 'l1' takes 0.000 ms a micro-batch, 3 times");
}

TEST(IndivisibleWorkBound, SeesTwoLongLayersOnOneDevice) {
  // 40 of 5 layers in 4: 10 on average, 16 with two layers on one.
  EXPECT_EQ(IndivisibleWorkBound(ChainProblem(Alike(5, {2, 4, 2}), 4, 1)).ns,
            16);
  // 9 layers on 4 devices: three on one.
  EXPECT_EQ(IndivisibleWorkBound(ChainProblem(Alike(9, {2, 4, 2}), 4, 1)).ns,
            24);
}

TEST(IndivisibleWorkBound, SeesTheGrain) {
  // 9, 9, 5, 5: 14 on average of 2, reachable. 9, 9, 9, 4: 15.5, and the least
  // sum from there is 18.
  EXPECT_EQ(
      IndivisibleWorkBound(
          ChainProblem({{3, 3, 3}, {3, 3, 3}, {1, 2, 2}, {1, 2, 2}}, 2, 1))
          .ns,
      14);
  EXPECT_EQ(
      IndivisibleWorkBound(
          ChainProblem({{3, 3, 3}, {3, 3, 3}, {3, 3, 3}, {1, 2, 1}}, 2, 2))
          .ns,
      36);
}

TEST(ChainBound, RunsThereAndBack) {
  // F 1 + 2 + 3, B 30 + 20 + 10, W of the first.
  const Problem problem =
      ChainProblem({{1, 10, 5}, {2, 20, 99}, {3, 30, 1}}, 3, 4);
  // Or B of the last two and the second's W: 6 + 50 + 99.
  EXPECT_EQ(ChainBound(problem).ns, 155);
  Problem light = ChainProblem({{1, 10, 5}, {2, 20, 3}, {3, 30, 1}}, 3, 4);
  EXPECT_EQ(ChainBound(light).ns, 6 + 60 + 5);
  light.launch_overhead_ns = 100;
  EXPECT_EQ(ChainBound(light).ns, 6 + 60 + 5 + 200);
}

TEST(ChainBound, HasTheWholeBackwardOnTheWay) {
  Problem problem = ChainProblem({{1, 10, 5}, {2, 20, 3}, {3, 30, 1}}, 3, 4);
  problem.layers[1].cost.splittable = false;
  EXPECT_EQ(ChainBound(problem).ns, 6 + 60 + 3 + 5);
}

TEST(ChainBound, StopsWhereNoGradientFlows) {
  Problem problem = ChainProblem({{1, 10, 5}, {2, 20, 3}, {3, 30, 1}}, 3, 4);
  problem.layers[0].needs_grad = false;
  EXPECT_EQ(ChainBound(problem).ns, 6 + 50 + 3);
}

TEST(ChainBound, TakesTheLongerBranch) {
  // 0 → 1 → 3 and 0 → 2 → 3.
  Problem problem =
      ChainProblem({{1, 1, 1}, {50, 1, 1}, {1, 70, 1}, {1, 1, 1}}, 2, 1);
  problem.layers[2].inputs = {0};
  problem.layers[3].inputs = {1, 2};
  // F of 0, 1, 3; B of 3, 2, 0; W of 0.
  EXPECT_EQ(ChainBound(problem).ns, (1 + 50 + 1) + (1 + 70 + 1) + 1);
}

TEST(LoadBound, AddsHeadAndTailToALayer) {
  // 8 · (10 + 20) of the middle layer, its W of 0, between 5 and 7 + 3.
  const Problem problem =
      ChainProblem({{5, 7, 3}, {10, 20, 0}, {1, 1, 1}}, 3, 8);
  EXPECT_EQ(LoadBound(problem).ns, 5 + 8 * 30 + 10);
}

TEST(LoadBound, LetsWeightGradientsFillTheTail) {
  // 8 · 2 of W is longer than the tail of 10.
  const Problem problem =
      ChainProblem({{5, 7, 3}, {10, 20, 2}, {1, 1, 1}}, 3, 8);
  EXPECT_EQ(LoadBound(problem).ns, 5 + 8 * 32);
}

// D equal layers on D devices with a whole backward: 1F1B is best possible at
// (M + D − 1) · (f + b), and the bound says so.
TEST(LoadBound, ProvesOneFOneBOptimal) {
  for (int devices : {1, 2, 4}) {
    Problem problem = ChainProblem(Alike(devices, {3, 4, 2}), devices, 6);
    for (Layer& layer : problem.layers) layer.cost.splittable = false;
    EXPECT_EQ(BestBound(problem).ns, (6 + devices - 1) * 9);
    EXPECT_EQ(BestBound(problem).kind,
              devices == 1 ? BoundKind::kWork : BoundKind::kLoad);
  }
}

TEST(LoadBound, DelaysAllDevicesButTheFirst) {
  // 4 equal layers: 60 on average of two devices, and the second starts
  // after 2. T + (T - 2) >= 120 gives 61; but loads are 30, 60, 90 or 120.
  EXPECT_EQ(LoadBound(ChainProblem(Alike(4, {2, 2, 2}), 2, 5)).ns, 62);
}

// Layer 1 has a head alone (0 needs no gradient), layer 3 a tail alone, nearly.
// A device that has both can fill the one with the other: A {0}, B {2} and C
// {1, 3} are done at 6001 if C runs all of 3 before it starts on 1.
TEST(LoadBound, DoesNotAddHeadAndTailOfDifferentLayers) {
  Problem problem =
      ChainProblem({{10, 90, 0}, {25, 25, 0}, {1, 99, 0}, {25, 25, 0}}, 3, 60);
  problem.layers[0].needs_grad = false;
  problem.layers[2].inputs.clear();
  EXPECT_GE(LoadBound(problem).ns, 6000);
  EXPECT_LE(LoadBound(problem).ns, 6001);
}

TEST(BestBound, NamesTheFirstOfEquals) {
  const Bound bound = BestBound(ChainProblem({{1, 1, 1}}, 1, 3));
  EXPECT_EQ(bound.kind, BoundKind::kWork);
  EXPECT_EQ(bound.ns, 9);
  EXPECT_FALSE(bound.certificate.empty());
}

TEST(BestBound, HandlesAModelThatCostsNothing) {
  const Problem problem = ChainProblem(Alike(3, {0, 0, 0}), 2, 2);
  for (const Bound& bound : AllBounds(problem)) {
    EXPECT_EQ(bound.ns, 0);
    EXPECT_FALSE(bound.certificate.empty());
  }
}

TEST(BestBound, StaysWithinTheLargestTotals) {
  const Nanos huge = kMaxTotal / 8;
  const Problem problem = ChainProblem(Alike(2, {huge, huge, huge}), 2, 1);
  EXPECT_EQ(WorkBound(problem).ns, 3 * huge);
  EXPECT_EQ(ChainBound(problem).ns, 5 * huge);
  EXPECT_EQ(LoadBound(problem).ns, 5 * huge);
}

TEST(GapPpm, RoundsUp) {
  EXPECT_EQ(GapPpm(100, 100), 0);
  EXPECT_EQ(GapPpm(105, 100), 50000);
  EXPECT_EQ(GapPpm(3000001, 3000000), 1);
  EXPECT_EQ(GapPpm(kMaxTotal, kMaxTotal / 2), 1000000);
  EXPECT_EQ(GapPpm(1, 0), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(GapPpm(0, 0), 0);
}

TEST(BoundKindName, IsKebabCase) {
  EXPECT_EQ(BoundKindName(BoundKind::kWork), "work");
  EXPECT_EQ(BoundKindName(BoundKind::kIndivisibleWork), "indivisible-work");
  EXPECT_EQ(BoundKindName(BoundKind::kChain), "chain");
  EXPECT_EQ(BoundKindName(BoundKind::kLoad), "load");
}

}  // namespace
}  // namespace octopipe
