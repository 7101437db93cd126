#include "compiler/simulator/jitter.h"

#include <tuple>
#include <vector>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

auto Figures(const MakespanSpread& spread) {
  return std::make_tuple(spread.exact_ns, spread.mean_ns, spread.min_ns,
                         spread.p50_ns, spread.p95_ns, spread.p99_ns,
                         spread.max_ns);
}

// One stage on one device: the makespan is a sum of independent durations.
StageTable OneStage(Nanos f_ns, int micro_batches) {
  StageTable table;
  table.num_devices = 1;
  table.micro_batches = micro_batches;
  table.stages.resize(1);
  table.stages[0].f_ns = f_ns;
  table.in_edges.resize(1);
  table.out_edges.resize(1);
  return table;
}

Order ForwardsOf(const StageTable& table) {
  Order order;
  order.programs.resize(1);
  for (int m = 0; m < table.micro_batches; ++m) {
    order.programs[0].push_back(Forward(0, m));
  }
  return order;
}

InstanceShape ShapeOf(int i) {
  InstanceShape shape;
  shape.chain = i % 2 == 0;
  shape.ports = i % 3 == 0;
  shape.scale = 1000;
  return shape;
}

TEST(Jitter, NoJitterIsTheExactMakespan) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    const StageTable table = RandomTable(ShapeOf(i), random);
    const Order order = RandomOrder(table, random);
    const MakespanSpread spread = *SampleMakespans(table, order, {0, 5, 1, 1});
    const Nanos exact = EvaluateOrder(table, order)->makespan_ns;
    EXPECT_EQ(Figures(spread),
              std::make_tuple(exact, exact, exact, exact, exact, exact, exact));
  }
}

// Mean 1,000,000 and standard deviation 100,000, as normal as 64 coins are.
TEST(Jitter, HasTheMeanAndDeviationThatItSays) {
  const StageTable table = OneStage(1'000'000, 1);
  const MakespanSpread spread =
      *SampleMakespans(table, ForwardsOf(table), {100'000, 20'000, 0, 2});
  EXPECT_NEAR(spread.mean_ns, 1'000'000, 2'500);
  EXPECT_EQ(spread.p50_ns, 1'000'000);
  EXPECT_NEAR(spread.p95_ns, 1'164'500, 15'000);
  EXPECT_NEAR(spread.p99_ns, 1'232'600, 20'000);
  EXPECT_GE(spread.min_ns, 200'000);
  EXPECT_LE(spread.max_ns, 1'800'000);
}

// The deviation of a sum of n durations grows with √n only: every item has a
// factor of its own.
TEST(Jitter, DrawsEveryItemAnew) {
  const StageTable table = OneStage(1'000'000, 100);
  const MakespanSpread spread =
      *SampleMakespans(table, ForwardsOf(table), {100'000, 5'000, 0, 2});
  EXPECT_NEAR(spread.mean_ns, 100'000'000, 60'000);
  EXPECT_NEAR(spread.p95_ns - spread.p50_ns, 1'645'000, 120'000);
}

TEST(Jitter, NeverTakesLessThanNothing) {
  const StageTable table = OneStage(1'000'000, 1);
  const MakespanSpread spread =
      *SampleMakespans(table, ForwardsOf(table), {1'000'000, 2'000, 0, 1});
  EXPECT_EQ(spread.min_ns, 0);
}

TEST(Jitter, DependsOnTheSeedAndNotOnThreads) {
  std::mt19937_64 random(2);
  int other_seeds_differ = 0;
  for (int i = 0; i < 20; ++i) {
    const StageTable table = RandomTable(ShapeOf(i), random);
    const Order order = RandomOrder(table, random);
    JitterOptions options = {50'000, 40, 7, 1};
    const auto expected = Figures(*SampleMakespans(table, order, options));
    options.threads = 5;
    EXPECT_EQ(Figures(*SampleMakespans(table, order, options)), expected);
    options.seed = uint64_t{7} << 32;
    other_seeds_differ +=
        Figures(*SampleMakespans(table, order, options)) != expected;
  }
  EXPECT_GT(other_seeds_differ, 10);
}

// The same on every machine.
TEST(Jitter, DrawsTheSameFactorsEverywhere) {
  const StageTable table = OneStage(1'000'000, 1);
  std::vector<Nanos> first;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    first.push_back(
        SampleMakespans(table, ForwardsOf(table), {40'000, 1, seed, 1})
            ->min_ns);
  }
  EXPECT_EQ(first, std::vector<Nanos>({960000, 960000, 1000000, 990000}));
}

// A device waits for the latest of several, so jitter costs on average, and
// more of it more.
TEST(Jitter, TheMeanGrowsWithTheJitter) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    InstanceShape shape = ShapeOf(i);
    shape.max_micro_batches = 12;
    const StageTable table = RandomTable(shape, random);
    const Order order = RandomOrder(table, random);
    Nanos before = EvaluateOrder(table, order)->makespan_ns;
    for (int64_t ppm : {20'000, 50'000, 100'000}) {
      const Nanos mean =
          SampleMakespans(table, order, {ppm, 1000, 0, 2})->mean_ns;
      // But for the luck of the draw.
      EXPECT_GE(mean, before - before / 500) << i << " " << ppm;
      before = mean;
    }
  }
}

TEST(Jitter, RefusesWhatIsNoSample) {
  const StageTable table = OneStage(1, 1);
  const Order order = ForwardsOf(table);
  EXPECT_FALSE(SampleMakespans(table, order, {0, 0, 0, 1}).ok());
  EXPECT_FALSE(SampleMakespans(table, order, {0, 1, 0, 0}).ok());
  EXPECT_FALSE(SampleMakespans(table, order, {-1, 1, 0, 1}).ok());
  EXPECT_FALSE(SampleMakespans(table, Order(), {0, 1, 0, 1}).ok());
}

}  // namespace
}  // namespace octopipe
