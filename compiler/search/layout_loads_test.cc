#include "compiler/search/layout_loads.h"

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/search/policy_sweep.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Problem RandomChain(std::mt19937_64& random) {
  std::vector<LayerTimes> times(Uniform(random, 4, 16));
  for (LayerTimes& each : times) {
    each = {Uniform(random, 1, 40), Uniform(random, 1, 40),
            Uniform(random, 0, 40)};
  }
  return ChainProblem(times, static_cast<int>(Uniform(random, 2, 4)),
                      Uniform(random, 1, 8));
}

TEST(LayoutLoadsTest, NoPlanIsShorterThanItsLayoutPromises) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomChain(random);
    const auto sweep = SweepPolicies(problem, {});
    ASSERT_TRUE(sweep.ok()) << sweep.status();
    const Nanos promise =
        LayoutLoads(problem)
            .ScoreOf(sweep->plan.partition, sweep->plan.placement)
            .largest_ns;
    EXPECT_LE(promise, sweep->metrics.makespan_ns) << "seed " << seed;
  }
}

TEST(LayoutLoadsTest, PromisesWhatOneStageADeviceNeeds) {
  // Device 1 waits for the first layer, has both last layers, and nothing is
  // left to wait for behind its W.
  const Problem problem =
      ChainProblem({{2, 3, 1}, {4, 5, 6}, {7, 8, 9}}, 2, 10);
  const LayoutLoads loads(problem);
  EXPECT_EQ(loads.ScoreOf({{0, 1, 3}}, {{0, 1}}).largest_ns, 2 + 10 * 39);
}

TEST(LayoutLoadsTest, RepairsOnlyForTheBetter) {
  int repaired = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Problem problem = RandomChain(random);
    const int layers = static_cast<int>(problem.layers.size());
    const int devices = static_cast<int>(problem.devices.size());
    TunerState state;
    const int stages = static_cast<int>(Uniform(random, 2, layers));
    state.partition = RandomPartition(problem, stages, random);
    state.placement =
        RandomPlacement(PlacementShape::kAny, stages, devices, random);
    state.split.assign(stages, 1);
    state.weights.task_ns.assign(3 * stages, 0);
    const LayoutLoads loads(problem);
    const auto before = loads.ScoreOf(state.partition, state.placement);
    const bool changed = loads.Repair(30, layers, &state);
    const auto after = loads.ScoreOf(state.partition, state.placement);
    EXPECT_EQ(changed, after < before);
    EXPECT_FALSE(before < after);
    repaired += changed;
    // Still a layout, and all that belongs to stages has followed.
    const int now = state.partition.stages();
    EXPECT_EQ(state.partition.begin.front(), 0);
    EXPECT_EQ(state.partition.begin.back(), layers);
    EXPECT_TRUE(std::is_sorted(state.partition.begin.begin(),
                               state.partition.begin.end(),
                               std::less_equal<int>()));
    EXPECT_EQ(static_cast<int>(state.placement.device.size()), now);
    EXPECT_EQ(static_cast<int>(state.split.size()), now);
    EXPECT_EQ(static_cast<int>(state.weights.task_ns.size()), 3 * now);
  }
  EXPECT_GT(repaired, 50);
}

}  // namespace
}  // namespace octopipe
