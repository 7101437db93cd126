#include "compiler/search/layout_loads.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/check_problem.h"
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

struct Layout {
  Partition partition;
  Placement placement;
};

// All single changes that take layers from `device`, in the order in which the
// first of equals is taken.
std::vector<Layout> ChangesOf(const Layout& from, int device, int devices,
                              int most_stages) {
  std::vector<Layout> changes;
  const int stages = from.partition.stages();
  for (int s = 0; s < stages; ++s) {
    if (from.placement.device[s] != device) continue;
    const int begin = from.partition.begin[s];
    const int end = from.partition.begin[s + 1];
    for (int t = 0; t < stages; ++t) {
      if (from.placement.device[t] == device) continue;
      for (int n = 1; n <= 2 && n < end - begin; ++n) {
        Layout shifted = from;
        for (int i = std::min(s, t) + 1; i <= std::max(s, t); ++i) {
          shifted.partition.begin[i] += t > s ? -n : n;
        }
        changes.push_back(std::move(shifted));
      }
      Layout traded = from;
      std::swap(traded.placement.device[s], traded.placement.device[t]);
      changes.push_back(std::move(traded));
    }
    for (int d = 0; d < devices; ++d) {
      if (d == device) continue;
      Layout moved = from;
      moved.placement.device[s] = d;
      changes.push_back(std::move(moved));
      if (end - begin < 2 || stages == most_stages) continue;
      for (bool front : {true, false}) {
        Layout cut = from;
        cut.partition.begin.insert(cut.partition.begin.begin() + s + 1,
                                   front ? begin + 1 : end - 1);
        cut.placement.device.insert(
            cut.placement.device.begin() + s + (front ? 0 : 1), d);
        changes.push_back(std::move(cut));
      }
    }
  }
  return changes;
}

// The promise of one device alone: the largest if the others have no work.
int BusiestDevice(const LayoutLoads& loads, const Layout& layout, int devices) {
  int busiest = 0;
  Nanos most = -1;
  for (int d = 0; d < devices; ++d) {
    LayoutLoads::Load load;
    for (int s = 0; s < layout.partition.stages(); ++s) {
      if (layout.placement.device[s] != d) continue;
      loads.AddLayers(d, layout.partition.begin[s],
                      layout.partition.begin[s + 1], &load);
    }
    const Nanos promise = loads.PromiseOf(d, load);
    if (promise <= most) continue;
    most = promise;
    busiest = d;
  }
  return busiest;
}

TEST(LayoutLoadsTest, RepairsByTheBestOfAllSingleChanges) {
  int repaired = 0, kept = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomProblem({}, random);
    const int devices = static_cast<int>(problem.devices.size());
    const int layers = static_cast<int>(problem.layers.size());
    const int stages = static_cast<int>(Uniform(random, 1, layers));
    const int most_stages = static_cast<int>(Uniform(random, stages, layers));
    const LayoutLoads loads(problem);
    TunerState state;
    state.partition = RandomPartition(problem, stages, random);
    state.placement =
        RandomPlacement(PlacementShape::kAny, stages, devices, random);
    state.split.assign(stages, 1);
    state.weights.task_ns.assign(3 * stages, 0);
    for (int step = 0; step < 6; ++step) {
      Layout best = {state.partition, state.placement};
      LayoutLoads::Score score = loads.ScoreOf(best.partition, best.placement);
      bool expected = false;
      for (const Layout& change :
           ChangesOf(best, BusiestDevice(loads, best, devices), devices,
                     most_stages)) {
        const auto other = loads.ScoreOf(change.partition, change.placement);
        if (!(other < score)) continue;
        score = other;
        best = change;
        expected = true;
      }
      ASSERT_EQ(loads.Repair(1, most_stages, &state), expected)
          << "seed " << seed << " step " << step;
      ASSERT_EQ(state.partition, best.partition) << "seed " << seed;
      ASSERT_EQ(state.placement, best.placement) << "seed " << seed;
      ++(expected ? repaired : kept);
      if (!expected) break;
      ASSERT_TRUE(CheckPartition(problem, state.partition).empty());
      ASSERT_EQ(state.split.size(), size_t(state.partition.stages()));
    }
  }
  EXPECT_GT(repaired, 200);
  EXPECT_GT(kept, 50);
}

}  // namespace
}  // namespace octopipe
