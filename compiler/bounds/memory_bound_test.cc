#include <optional>
#include <string>
#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/memory_fit.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/problem.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

struct Cost {
  LayerTimes times;
  Bytes saved_b = 0;
  Bytes saved_w = 0;
  Bytes params = 0;
};

Problem Chain(const std::vector<Cost>& costs, int devices,
              int64_t micro_batches, Bytes memory) {
  std::vector<LayerTimes> times;
  for (const Cost& cost : costs) times.push_back(cost.times);
  Problem problem = ChainProblem(times, devices, micro_batches);
  for (size_t l = 0; l < costs.size(); ++l) {
    LayerMemory& layer = problem.layers[l].cost.memory;
    layer.saved_b_bytes = costs[l].saved_b;
    layer.saved_w_bytes = costs[l].saved_w;
    layer.param_bytes = costs[l].params;
  }
  for (Device& device : problem.devices) device.memory_bytes = memory;
  return problem;
}

Nanos Memory(const Problem& problem) {
  const Bound bound = MemoryBound(problem, WorkBound(problem));
  EXPECT_EQ(bound.kind, BoundKind::kMemory);
  return bound.ns;
}

// One micro-batch at a time on each device: F, then all idle until its B.
TEST(MemoryBound, RunsOneMicroBatchAtATime) {
  const std::vector<Cost> costs(2, {{10, 20, 30}, 0, 1});
  const Problem problem = Chain(costs, 2, 5, 1);
  // Layer 0 holds its byte for F, F and B of layer 1, and its B and W.
  EXPECT_EQ(Memory(problem), 5 * (10 + 10 + 20 + 20 + 30));
  // A byte freed by B does not wait for W.
  std::vector<Cost> light = costs;
  light[0] = {{10, 20, 30}, 1, 0};
  EXPECT_EQ(Memory(Chain(light, 2, 5, 1)), 5 * (10 + 10 + 20 + 20) + 30);
}

// Before its first B a device fills up with forwards and then waits.
TEST(MemoryBound, FillsUpBeforeTheFirstGradient) {
  // Eight layers in a row on eight devices, F alone for 8 · 10, M of 100.
  std::vector<Cost> costs(8, {{10, 10, 10}, 0, 1});
  const Nanos plenty = Memory(Chain(costs, 8, 100, 100));
  // The first device has its gradient at 16 · 10 - 10 at the earliest and has
  // run one forward until then.
  const Nanos little = Memory(Chain(costs, 8, 100, 1));
  EXPECT_GE(plenty, 3000);
  EXPECT_LE(plenty, 3100);
  EXPECT_GE(little, 100 * 160);
  EXPECT_EQ(Memory(Chain(costs, 8, 100, 0)), plenty);
}

TEST(MemoryBound, CountsWhatIsThereForGood) {
  // With 3 bytes a device, of which a layer takes 2 for good, it has one layer.
  const std::vector<Cost> costs(3, {{10, 10, 10}, 0, 1, 2});
  EXPECT_EQ(WorkBound(Chain(costs, 3, 4, 6)).ns, 120);
  EXPECT_GT(Memory(Chain(costs, 3, 4, 3)), Memory(Chain(costs, 3, 4, 6)));
}

TEST(MemoryBound, NeverRisesWithMemory) {
  const std::vector<Cost> costs = {{{3, 5, 2}, 1, 2, 3}, {{4, 4, 4}, 2, 1, 1},
                                   {{3, 5, 2}, 1, 2, 3}, {{6, 7, 1}, 3, 0, 2},
                                   {{4, 4, 4}, 2, 1, 1}, {{9, 9, 9}, 1, 1, 9}};
  int falls = 0;
  for (int devices : {2, 3, 6}) {
    Bytes memory = 1;
    while (WhyNothingFits(Chain(costs, devices, 6, memory))) ++memory;
    Nanos before = Memory(Chain(costs, devices, 6, memory));
    const Nanos first = before;
    for (; memory < 120; ++memory) {
      const Nanos now = Memory(Chain(costs, devices, 6, memory));
      EXPECT_LE(now, before) << devices << " devices, " << memory << " bytes";
      before = now;
    }
    falls += before < first;
    const Problem unlimited = Chain(costs, devices, 6, 0);
    EXPECT_EQ(before, PackingBound(unlimited, WorkBound(unlimited)).ns);
  }
  EXPECT_GT(falls, 0);
}

TEST(MemoryBound, HandlesTheLargestSizes) {
  constexpr Bytes kHuge = kMaxTotal / 64;
  constexpr Nanos kLong = kMaxTotal / 64;
  const std::vector<Cost> costs(2,
                                {{kLong, kLong, kLong}, kHuge, kHuge, kHuge});
  const Problem problem = Chain(costs, 2, 2, 3 * kHuge);
  // One micro-batch after the other: F, F, B, B and W.
  EXPECT_EQ(Memory(problem), 2 * 5 * kLong);
}

// A byte that takes a second, of a memory of 2^59 of them.
TEST(MemoryBound, HandlesPricesOutOfRange) {
  std::vector<Cost> costs(4, {{1000000000, 1000000000, 1000000000}, 1, 1, 1});
  costs[2].saved_w = int64_t{1} << 40;
  const Problem problem = Chain(costs, 2, 4, int64_t{1} << 59);
  const Problem unlimited = Chain(costs, 2, 4, 0);
  EXPECT_EQ(Memory(problem), Memory(unlimited));
}

TEST(WhyNothingFits, SaysWhatIsMissing) {
  const std::vector<Cost> costs = {{{1, 1, 1}, 10, 10, 80},
                                   {{1, 1, 1}, 10, 10, 180}};
  EXPECT_EQ(WhyNothingFits(Chain(costs, 2, 4, 0)), std::nullopt);
  EXPECT_EQ(WhyNothingFits(Chain(costs, 2, 4, 200)), std::nullopt);
  EXPECT_EQ(WhyNothingFits(Chain(costs, 2, 4, 199)),
            "layer 'l1' alone needs 200 bytes for one micro-batch, and the "
            "largest device has 199 bytes");
  EXPECT_EQ(WhyNothingFits(Chain(costs, 1, 4, 299)),
            "the layers need 300 bytes for one micro-batch, and 1 device with "
            "299 bytes in all");
  const std::vector<Cost> three(3, {{1, 1, 1}, 10, 10, 40});
  EXPECT_EQ(WhyNothingFits(Chain(three, 2, 4, 100)),
            "the layers need 180 bytes for one micro-batch, and 2 devices with "
            "200 bytes in all have no room for them, whole");
}

TEST(WhyNothingFits, CountsSharedParametersOnce) {
  std::vector<Cost> costs(2, {{1, 1, 1}, 0, 0, 100});
  Problem problem = Chain(costs, 1, 4, 100);
  EXPECT_TRUE(WhyNothingFits(problem).has_value());
  for (Layer& layer : problem.layers) layer.shares = "tied";
  EXPECT_FALSE(WhyNothingFits(problem).has_value());
}

}  // namespace
}  // namespace octopipe
