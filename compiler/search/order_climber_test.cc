#include "compiler/search/order_climber.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/simulator/evaluate.h"

namespace octopipe {
namespace {

// On random problems, with the sweep's own peaks as caps: what is found solves
// the problem, takes as long as it says, and no longer than the first plan.
TEST(OrderClimberTest, FindsPlansThatHoldAndAreNoLonger) {
  int shorter = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    Problem problem = RandomProblem({30, 4, 16}, random);
    const auto sweep = SweepPolicies(problem, {});
    ASSERT_TRUE(sweep.ok()) << "seed " << seed << ": " << sweep.status();
    for (size_t d = 0; seed % 2 == 1 && d < problem.devices.size(); ++d) {
      problem.devices[d].memory_bytes =
          std::max<Bytes>(1, sweep->metrics.devices[d].peak_bytes);
    }
    OrderClimber climber(problem, sweep->plan, seed % 3 != 0);
    EXPECT_EQ(climber.best_makespan(), OrderEvaluator::kNever);
    const Nanos before = sweep->metrics.makespan_ns;
    climber.Climb(2000, before / 64, 0, random, [] { return false; });
    const Plan& plan = climber.best_plan();
    const auto findings = VerifyPlan(problem, plan);
    ASSERT_TRUE(findings.empty())
        << "seed " << seed << ": " << findings.front().message;
    const auto metrics = EvaluatePlan(
        BuildStageTable(problem, plan.partition, plan.placement), plan.order);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    EXPECT_EQ(metrics->makespan_ns, climber.best_makespan()) << "seed " << seed;
    EXPECT_LE(climber.best_makespan(), before) << "seed " << seed;
    shorter += climber.best_makespan() < before;
  }
  EXPECT_GT(shorter, 0);
}

}  // namespace
}  // namespace octopipe
