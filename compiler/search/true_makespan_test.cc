#include "compiler/search/true_makespan.h"

#include <random>
#include <string>
#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/search/extend_plan.h"
#include "compiler/search/improve_small.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/search/tuner.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// A chain with transfers about as long as its layers, all of which leave a
// device by one port.
Problem OnePortADevice(int layers, int devices, int micro_batches,
                       std::mt19937_64& random) {
  auto draw = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most));
  };
  std::vector<LayerTimes> times;
  for (int l = 0; l < layers; ++l) {
    times.push_back({5 + draw(20), 5 + draw(20), 5 + draw(20)});
  }
  Problem problem = ChainProblem(times, devices, micro_batches);
  for (Layer& layer : problem.layers) {
    layer.output_bytes = 5 + draw(20);
    layer.output_grad_bytes = 5 + draw(20);
  }
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      problem.links.push_back({from, to, draw(5), 1000, std::to_string(from)});
    }
  }
  return problem;
}

Nanos MakespanOf(const Problem& problem, const Plan& plan) {
  return EvaluateOrder(BuildStageTable(problem, plan.partition, plan.placement),
                       plan.order)
      ->makespan_ns;
}

bool IsShared(const Problem& problem, const Plan& plan) {
  return BuildStageTable(problem, plan.partition, plan.placement)
      .HasContention();
}

TEST(TrueMakespan, CountsSharingOnlyWhereThereIsSome) {
  std::mt19937_64 random(1);
  Problem problem = OnePortADevice(6, 3, 6, random);
  const Plan plan = SweepPolicies(problem, {})->plan;
  const StageTable shared =
      BuildStageTable(problem, plan.partition, plan.placement);
  for (Link& link : problem.links) link.port.clear();
  const StageTable alone =
      BuildStageTable(problem, plan.partition, plan.placement);
  ASSERT_TRUE(shared.HasContention());
  ASSERT_FALSE(alone.HasContention());
  EXPECT_EQ(TrueMakespan(alone, plan.order, 123), 123);
  EXPECT_EQ(TrueMakespan(shared, plan.order, 123),
            EvaluateOrder(shared, plan.order)->makespan_ns);
}

// What the tuner compares, reports and returns is what the plan takes; it never
// loses what the sweep has found; and bounds hold.
TEST(TrueMakespan, IsWhatTheTunerReports) {
  std::mt19937_64 random(2);
  int shared = 0;
  int gained = 0;
  for (int i = 0; i < 12; ++i) {
    const Problem problem = OnePortADevice(4 + i, 3, 4 + i % 3, random);
    TunerOptions options;
    options.evaluations = 3000;
    options.seed = i;
    Nanos last_progress = 0;
    options.progress = [&](const TunerProgress& progress) {
      last_progress = progress.makespan_ns;
    };
    const auto result = Tune(problem, options);
    ASSERT_TRUE(result.ok()) << result.status();
    const Nanos makespan = MakespanOf(problem, result->plan);
    EXPECT_EQ(result->metrics.makespan_ns, makespan);
    EXPECT_EQ(result->steps.back().makespan_ns, makespan);
    EXPECT_EQ(last_progress, makespan);
    const Nanos sweep = SweepPolicies(problem, {})->metrics.makespan_ns;
    EXPECT_LE(makespan, sweep);
    EXPECT_LE(BestBound(problem).ns, makespan);
    shared += IsShared(problem, result->plan);
    gained += makespan < sweep;
  }
  EXPECT_GE(shared, 6);
  EXPECT_GE(gained, 6);
}

TEST(TrueMakespan, IsWhatASmallProblemIsImprovedBy) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10; ++i) {
    const Problem problem = OnePortADevice(3, 3, 3, random);
    int64_t nodes = 20000;
    const auto found =
        ImproveSmall(problem, nullptr, true, int64_t{1} << 40, &nodes);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->makespan_ns, MakespanOf(problem, found->plan));
  }
}

TEST(TrueMakespan, IsWhatAnExtendedPlanTakes) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 5; ++i) {
    Problem problem = OnePortADevice(6, 3, 8, random);
    const Plan plan = SweepPolicies(problem, {})->plan;
    problem.micro_batches = 40;
    const auto extended = ExtendPlans(problem, 8, {plan});
    ASSERT_TRUE(extended.ok()) << extended.status();
    EXPECT_EQ(extended->makespan_ns, MakespanOf(problem, extended->plan));
  }
}

}  // namespace
}  // namespace octopipe
