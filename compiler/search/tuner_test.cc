#include "compiler/search/tuner.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/policy_sweep.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Problem Chain(const std::vector<LayerTimes>& layers, int devices,
              int micro_batches, bool splittable = true) {
  Problem problem = ChainProblem(layers, devices, micro_batches);
  for (Layer& layer : problem.layers) {
    layer.cost.splittable = splittable;
    layer.cost.memory.saved_w_bytes = 1;
  }
  return problem;
}

// Blocks of two kinds and a long head.
Problem UnevenChain(int layers, int devices, int micro_batches) {
  std::vector<LayerTimes> times;
  for (int i = 0; i < layers; ++i) {
    times.push_back(i % 3 == 0 ? LayerTimes{13, 17, 5} : LayerTimes{7, 9, 8});
  }
  times.back() = {40, 45, 38};
  return Chain(times, devices, micro_batches);
}

Nanos SweepMakespan(const Problem& problem) {
  const auto sweep = SweepPolicies(problem, {});
  EXPECT_TRUE(sweep.ok()) << sweep.status();
  return sweep->metrics.makespan_ns;
}

TunerOptions Evaluations(int64_t evaluations) {
  TunerOptions options;
  options.evaluations = evaluations;
  return options;
}

bool SamePlan(const Plan& a, const Plan& b) {
  return a.partition == b.partition && a.placement == b.placement &&
         a.order == b.order;
}

TEST(TunerTest, ImprovesOnTheSweep) {
  const Problem problem = UnevenChain(12, 3, 6);
  const auto result = Tune(problem, Evaluations(20000));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(VerifyPlan(problem, result->plan).size(), 0u);
  EXPECT_LT(result->metrics.makespan_ns, SweepMakespan(problem));
  EXPECT_GE(result->metrics.makespan_ns, result->bound.ns);
}

TEST(TunerTest, IsNeverLongerThanTheSweep) {
  std::mt19937_64 random(1);
  ProblemShape shape;
  shape.max_layers = 8;
  shape.max_micro_batches = 5;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = RandomProblem(shape, random);
    const auto sweep = SweepPolicies(problem, {});
    if (!sweep.ok()) continue;
    TunerOptions options =
        Evaluations(static_cast<int64_t>(sweep->candidates.size()) + 300);
    options.seed = i;
    const auto result = Tune(problem, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(VerifyPlan(problem, result->plan).size(), 0u);
    EXPECT_LE(result->metrics.makespan_ns, sweep->metrics.makespan_ns);
    EXPECT_GE(result->metrics.makespan_ns, result->bound.ns);
  }
}

TEST(TunerTest, KeepsWithinMemory) {
  Problem problem = UnevenChain(12, 3, 6);
  for (Device& device : problem.devices) device.memory_bytes = 10;
  const auto result = Tune(problem, Evaluations(10000));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(VerifyPlan(problem, result->plan).size(), 0u);
  for (const DeviceMetrics& device : result->metrics.devices) {
    EXPECT_LE(device.peak_bytes, 10);
  }
  EXPECT_LT(result->metrics.makespan_ns, SweepMakespan(problem));
}

// Where the published selector stays with reordering the work, at 456.
TEST(TunerTest, MovesBoundariesWhereReorderingStalls) {
  std::vector<LayerTimes> layers(64, LayerTimes{1, 1, 1});
  const Problem problem = Chain(layers, 4, 8, /*splittable=*/false);
  const auto result = Tune(problem, Evaluations(20000));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LE(result->metrics.makespan_ns, 447);
}

TEST(TunerTest, ThreadsDoNotChangeThePlan) {
  const Problem problem = UnevenChain(16, 4, 8);
  TunerOptions options = Evaluations(15000);
  const auto one = Tune(problem, options);
  options.threads = 2;
  const auto two = Tune(problem, options);
  options.threads = 5;
  const auto five = Tune(problem, options);
  ASSERT_TRUE(one.ok() && two.ok() && five.ok());
  EXPECT_TRUE(SamePlan(one->plan, two->plan));
  EXPECT_TRUE(SamePlan(one->plan, five->plan));
  EXPECT_EQ(one->evaluations, two->evaluations);
}

TEST(TunerTest, EvaluationsOfATimedRunMakeThePlanAgain) {
  const Problem problem = UnevenChain(16, 4, 8);
  TunerOptions options;
  options.time_limit_s = 0.5;
  options.threads = 2;
  const auto timed = Tune(problem, options);
  ASSERT_TRUE(timed.ok()) << timed.status();
  // Or it meets the bound before that.
  EXPECT_NE(timed->stop, TunerStop::kEvaluations);
  const auto again = Tune(problem, Evaluations(timed->evaluations));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(SamePlan(timed->plan, again->plan));
  EXPECT_EQ(timed->evaluations, again->evaluations);
}

TEST(TunerTest, KindsOfMoveCanBeSwitchedOff) {
  const Problem problem = UnevenChain(12, 3, 6);
  for (int off = 0; off < kNumMoveKinds; ++off) {
    SCOPED_TRACE(MoveKindName(static_cast<MoveKind>(off)));
    TunerOptions options = Evaluations(8000);
    options.partition = off != 0;
    options.placement = off != 1;
    options.order = off != 2;
    const auto result = Tune(problem, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(VerifyPlan(problem, result->plan).size(), 0u);
    for (const TunerStep& step : result->steps) {
      EXPECT_TRUE(!step.move || static_cast<int>(*step.move) != off);
    }
  }
}

TEST(TunerTest, WithoutPartitionMovesTheCutStays) {
  const Problem problem = UnevenChain(12, 3, 6);
  TunerOptions options = Evaluations(8000);
  options.partition = false;
  const auto result = Tune(problem, options);
  const auto sweep = SweepPolicies(problem, {});
  ASSERT_TRUE(result.ok() && sweep.ok());
  EXPECT_EQ(result->plan.partition, sweep->plan.partition);
}

TEST(TunerTest, ReportsEachStepAndItsMove) {
  const Problem problem = UnevenChain(12, 3, 6);
  const auto result = Tune(problem, Evaluations(10000));
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_GE(result->steps.size(), 2u);
  for (size_t i = 1; i < result->steps.size(); ++i) {
    EXPECT_LT(result->steps[i].makespan_ns, result->steps[i - 1].makespan_ns);
  }
  EXPECT_EQ(result->steps.back().makespan_ns, result->metrics.makespan_ns);
}

TEST(TunerTest, StartsFromAPlan) {
  const Problem problem = UnevenChain(12, 3, 6);
  const auto first = Tune(problem, Evaluations(20000));
  ASSERT_TRUE(first.ok()) << first.status();
  TunerOptions options = Evaluations(1);
  options.warm_start = &first->plan;
  const auto second = Tune(problem, options);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_LE(second->metrics.makespan_ns, first->metrics.makespan_ns);

  Plan broken = first->plan;
  broken.order.programs[0].pop_back();
  options.warm_start = &broken;
  EXPECT_EQ(Tune(problem, options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Hundreds of micro-batches, which are extended from a few.
TEST(TunerTest, ExtendsToManyMicroBatches) {
  Problem problem = UnevenChain(12, 3, 500);
  TunerOptions options = Evaluations(6000);
  const auto free = Tune(problem, options);
  ASSERT_TRUE(free.ok()) << free.status();
  EXPECT_EQ(VerifyPlan(problem, free->plan).size(), 0u);
  EXPECT_GE(free->metrics.makespan_ns, free->bound.ns);
  EXPECT_LE(free->metrics.makespan_ns, SweepMakespan(problem));
  EXPECT_EQ(free->steps.back().makespan_ns, free->metrics.makespan_ns);

  options.threads = 2;
  const auto again = Tune(problem, options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(SamePlan(free->plan, again->plan));

  TunerOptions few = Evaluations(1);
  few.warm_start = &free->plan;
  const auto warm = Tune(problem, few);
  ASSERT_TRUE(warm.ok()) << warm.status();
  EXPECT_LE(warm->metrics.makespan_ns, free->metrics.makespan_ns);

  for (Device& device : problem.devices) device.memory_bytes = 10;
  const auto capped = Tune(problem, Evaluations(3000));
  ASSERT_TRUE(capped.ok()) << capped.status();
  EXPECT_EQ(VerifyPlan(problem, capped->plan).size(), 0u);
  EXPECT_LE(capped->metrics.makespan_ns, SweepMakespan(problem));
}

TEST(TunerTest, StopsAtTheTargetAndWhenCancelled) {
  const Problem problem = UnevenChain(12, 3, 6);
  TunerOptions options = Evaluations(1'000'000'000);
  options.target_gap_ppm = 500000;
  const auto target = Tune(problem, options);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->stop, TunerStop::kTarget);

  std::atomic<bool> cancel{false};
  options.target_gap_ppm = 0;
  options.cancel = &cancel;
  int calls = 0;
  options.progress = [&](const TunerProgress&) { cancel = ++calls == 3; };
  const auto cancelled = Tune(problem, options);
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_EQ(cancelled->stop, TunerStop::kCancelled);
  EXPECT_EQ(calls, 3);
}

TEST(TunerTest, RefusesOptionsOutOfRange) {
  const Problem problem = UnevenChain(4, 2, 2);
  EXPECT_EQ(Tune(problem, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  TunerOptions options = Evaluations(10);
  options.threads = 0;
  EXPECT_EQ(Tune(problem, options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace octopipe
