#include "compiler/search/fixed_order_tuner.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Problem RandomChain(int layers, int devices, int micro_batches,
                    std::mt19937_64& random) {
  std::vector<LayerTimes> times(layers);
  for (LayerTimes& each : times) {
    each.f_ns = static_cast<Nanos>(1 + random() % 40);
    each.b_ns = static_cast<Nanos>(1 + random() % 40);
    each.w_ns = static_cast<Nanos>(1 + random() % 40);
  }
  Problem problem = ChainProblem(times, devices, micro_batches);
  for (Layer& layer : problem.layers) layer.cost.memory.saved_w_bytes = 10;
  return problem;
}

// The least makespan of all cuts that `filter` allows; -1 if there is none.
Nanos BestOfAll(const Problem& problem, const SpaceFilter& filter) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  Nanos best = -1;
  for (int bits = 0; bits < 1 << (layers - 1); ++bits) {
    Partition partition;
    for (int l = 1; l < layers; ++l) {
      if (bits >> (l - 1) & 1) partition.begin.push_back(l);
    }
    partition.begin.push_back(layers);
    const int stages = partition.stages();
    const Placement placement =
        MakePlacement(PlacementPattern::kLoop, stages, devices);
    if (!filter.Allows(partition, placement)) continue;
    const StageTable table = BuildStageTable(problem, partition, placement);
    const auto order = GenerateNamedSchedule(
        stages == devices ? "1f1b" : "interleaved-1f1b", table);
    if (!order.ok()) continue;
    const Nanos makespan = EvaluateOrder(table, *order)->makespan_ns;
    if (best < 0 || makespan < best) best = makespan;
  }
  return best;
}

TEST(FixedOrderTunerTest, FindsTheBestCutOfSmallChains) {
  std::mt19937_64 random(3);
  for (RuntimeTarget target :
       {RuntimeTarget::kDeepspeed, RuntimeTarget::kMegatron}) {
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(absl::StrCat(RulesOf(target).name, " ", i));
      const Problem problem = RandomChain(9, 3, 6, random);
      SearchSpace space;
      space.target = target;
      if (i % 2 == 1) space.stages = {{4, 5}};
      const SpaceFilter filter(problem, space);
      TunerOptions options;
      options.evaluations = 5000;
      options.space = &filter;
      const auto tuned = TuneFixedOrder(problem, options);
      ASSERT_TRUE(tuned.ok()) << tuned.status();
      EXPECT_EQ(VerifyPlan(problem, tuned->plan).size(), 0u);
      EXPECT_TRUE(filter.Check(tuned->plan).ok());
      EXPECT_EQ(tuned->metrics.makespan_ns, BestOfAll(problem, filter));
      EXPECT_GE(tuned->metrics.makespan_ns, tuned->bound.ns);
    }
  }
}

TEST(FixedOrderTunerTest, IsMadeAgainByItsEvaluations) {
  std::mt19937_64 random(4);
  const Problem problem = RandomChain(40, 4, 8, random);
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {}, RuntimeTarget::kMegatron});
  TunerOptions options;
  options.evaluations = 400;
  options.space = &filter;
  options.threads = 1;
  const auto first = TuneFixedOrder(problem, options);
  options.threads = 3;
  options.evaluations = first->evaluations;
  const auto second = TuneFixedOrder(problem, options);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->plan.partition, second->plan.partition);
  EXPECT_EQ(first->plan.order, second->plan.order);
  EXPECT_EQ(first->evaluations, second->evaluations);
}

TEST(FixedOrderTunerTest, EndsWhereNothingIsLeftToTry) {
  std::mt19937_64 random(5);
  const Problem problem = RandomChain(4, 4, 4, random);
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {}, RuntimeTarget::kDeepspeed});
  TunerOptions options;
  options.evaluations = 1'000'000'000;
  options.space = &filter;
  const auto tuned = TuneFixedOrder(problem, options);
  ASSERT_TRUE(tuned.ok()) << tuned.status();
  EXPECT_EQ(tuned->evaluations, 1);
}

TEST(FixedOrderTunerTest, SaysWhatIsMissing) {
  std::mt19937_64 random(6);
  Problem problem = RandomChain(8, 2, 4, random);
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {}, RuntimeTarget::kDeepspeed});
  TunerOptions options;
  options.evaluations = 100;
  options.space = &filter;
  for (Device& device : problem.devices) device.memory_bytes = 5;
  EXPECT_EQ(TuneFixedOrder(problem, options).status().code(),
            absl::StatusCode::kResourceExhausted);
  options.evaluations = 0;
  EXPECT_EQ(TuneFixedOrder(problem, options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(FixedOrderTunerTest, ReturnsTheBestSoFarWhenCancelled) {
  std::mt19937_64 random(8);
  const Problem problem = RandomChain(30, 3, 6, random);
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {}, RuntimeTarget::kMegatron});
  const std::atomic<bool> cancel{true};
  TunerOptions options;
  options.time_limit_s = 1000;
  options.space = &filter;
  options.cancel = &cancel;
  const auto tuned = TuneFixedOrder(problem, options);
  ASSERT_TRUE(tuned.ok()) << tuned.status();
  EXPECT_EQ(tuned->stop, TunerStop::kCancelled);
}

}  // namespace
}  // namespace octopipe
