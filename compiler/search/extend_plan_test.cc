#include "compiler/search/extend_plan.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/order_by_policy.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// One stage a device.
Problem EqualStages(int stages, int micro_batches, const LayerTimes& times) {
  Problem problem = ChainProblem(std::vector<LayerTimes>(stages, times), stages,
                                 micro_batches);
  for (Layer& layer : problem.layers) layer.cost.memory.saved_w_bytes = 1;
  return problem;
}

Problem WithMicroBatches(Problem problem, int64_t micro_batches) {
  problem.micro_batches = micro_batches;
  return problem;
}

Plan OneForwardOneBackward(const Problem& problem) {
  Plan plan;
  const int stages = static_cast<int>(problem.layers.size());
  for (int s = 0; s < stages; ++s) {
    plan.partition.begin.push_back(s + 1);
    plan.placement.device.push_back(s);
  }
  auto order =
      OrderByPolicy(BuildStageTable(problem, plan.partition, plan.placement),
                    "1f1b", BackwardSplit::kAuto);
  EXPECT_TRUE(order.ok()) << order.status();
  if (order.ok()) plan.order = *std::move(order);
  return plan;
}

// Checked by the verifier and the exact simulator.
Nanos CheckedMakespan(const Problem& problem, const ExtendedPlan& extended) {
  const std::vector<Finding> findings = VerifyPlan(problem, extended.plan);
  EXPECT_TRUE(findings.empty()) << findings.front().message;
  const auto metrics =
      EvaluatePlan(BuildStageTable(problem, extended.plan.partition,
                                   extended.plan.placement),
                   extended.plan.order);
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  if (!metrics.ok()) return 0;
  EXPECT_EQ(metrics->makespan_ns, extended.makespan_ns);
  return metrics->makespan_ns;
}

// Σt + (M − 1) · max t, the closed form of 1F1B for equal stages.
TEST(ExtendPlanTest, OneForwardOneBackwardKeepsItsClosedForm) {
  for (int stages : {1, 2, 4, 7}) {
    for (int from : {16, 20}) {
      SCOPED_TRACE(absl::StrCat(stages, " stages from ", from));
      const LayerTimes times = {10, 13, 8};
      const Nanos whole = 10 + 13 + 8;
      const Problem problem = EqualStages(stages, 1000, times);
      const Plan small = OneForwardOneBackward(WithMicroBatches(problem, from));
      const auto extended = ExtendPlans(problem, from, {small});
      ASSERT_TRUE(extended.ok()) << extended.status();
      EXPECT_EQ(CheckedMakespan(problem, *extended),
                stages * whole + 999 * whole);
    }
  }
}

// 1F1B holds stages − s micro-batches, and no more fit.
TEST(ExtendPlanTest, KeepsWhatMemoryAllows) {
  Problem problem = EqualStages(4, 500, {10, 10, 10});
  for (int d = 0; d < 4; ++d) problem.devices[d].memory_bytes = 4 - d;
  const Plan small = OneForwardOneBackward(WithMicroBatches(problem, 16));
  const auto extended = ExtendPlans(problem, 16, {small});
  ASSERT_TRUE(extended.ok()) << extended.status();
  EXPECT_EQ(CheckedMakespan(problem, *extended), 4 * 30 + 499 * 30);
}

// Caps that just hold the small plan, links with latency and queues.
TEST(ExtendPlanTest, RandomProblemsKeepMemoryAndData) {
  std::mt19937_64 random(3);
  ProblemShape shape;
  shape.max_layers = 8;
  int extended_plans = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    Problem problem = RandomProblem(shape, random);
    const int64_t from = Uniform(random, 1, 24);
    const Problem free = WithMicroBatches(problem, from);
    SweepOptions options;
    options.policy = "list";
    const auto sweep = SweepPolicies(free, options);
    ASSERT_TRUE(sweep.ok()) << sweep.status();
    for (size_t d = 0; d < problem.devices.size(); ++d) {
      problem.devices[d].memory_bytes =
          std::max<Bytes>(1, sweep->metrics.devices[d].peak_bytes);
    }
    problem.micro_batches = from + Uniform(random, 0, 150);
    const auto extended = ExtendPlans(problem, from, {sweep->plan});
    if (!extended.ok()) {
      EXPECT_EQ(extended.status().code(), absl::StatusCode::kResourceExhausted);
      continue;
    }
    ++extended_plans;
    EXPECT_LE(extended->full_runs, kMostFullRuns);
    CheckedMakespan(problem, *extended);
  }
  EXPECT_GT(extended_plans, 50);
}

TEST(ExtendPlanTest, NumberOfFullRunsDoesNotGrow) {
  std::vector<Plan> plans;
  const Problem problem = EqualStages(4, 4000, {10, 14, 7});
  for (const char* policy : {"1f1b", "zb-h1", "zb-h2", "gpipe"}) {
    Plan plan = OneForwardOneBackward(WithMicroBatches(problem, 32));
    auto order = OrderByPolicy(BuildStageTable(WithMicroBatches(problem, 32),
                                               plan.partition, plan.placement),
                               policy, BackwardSplit::kAuto);
    ASSERT_TRUE(order.ok()) << order.status();
    plan.order = *std::move(order);
    plans.push_back(std::move(plan));
  }
  const auto extended = ExtendPlans(problem, 32, plans);
  ASSERT_TRUE(extended.ok()) << extended.status();
  EXPECT_GE(extended->full_runs, 1);
  EXPECT_LE(extended->full_runs, kMostFullRuns);
  CheckedMakespan(problem, *extended);
}

TEST(ExtendPlanTest, ShortensToAPlan) {
  const Problem problem = EqualStages(3, 20, {5, 6, 7});
  const Plan shorter = ShortenPlan(OneForwardOneBackward(problem), 7);
  EXPECT_TRUE(VerifyPlan(WithMicroBatches(problem, 7), shorter).empty());
}

TEST(ExtendPlanTest, RefusesToShrink) {
  const Problem problem = EqualStages(2, 8, {1, 1, 1});
  const Plan plan = OneForwardOneBackward(problem);
  for (int from : {0, 9}) {
    EXPECT_EQ(ExtendPlans(problem, from, {plan}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// The rest by 4 stays, so that the smaller problem hardly grows.
TEST(ExtendPlanTest, SmallerProblemDoesNotGrow) {
  Problem problem = EqualStages(8, 32, {1, 1, 1});
  EXPECT_EQ(MicroBatchesToExtend(problem), 0);
  for (int micro_batches = 100; micro_batches < 5000; micro_batches += 7) {
    problem.micro_batches = micro_batches;
    const int64_t from = MicroBatchesToExtend(problem);
    EXPECT_GE(from, 32);
    EXPECT_LT(from, 36);
    EXPECT_EQ((micro_batches - from) % 4, 0);
  }
}

}  // namespace
}  // namespace octopipe
