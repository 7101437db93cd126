#include "compiler/search/balanced_starts.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// A chain whose layers differ; each keeps a byte.
Problem Chain(int layers, int devices, int micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  for (int i = 0; i < layers; ++i) {
    Layer layer;
    layer.name = absl::StrCat("layer.", i);
    const Nanos f = 100 + 7 * (i * 7 % 13) + i % 4 * 25;
    layer.cost.times = {f, f * 11 / 10, f * (5 + i % 4) / 10};
    layer.cost.memory.saved_w_bytes = 1;
    if (i > 0) layer.inputs = {i - 1};
    problem.layers.push_back(std::move(layer));
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "any"});
  }
  return problem;
}

TEST(BalancedStarts, MakesValidPlans) {
  int plans = 0, refused = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    Problem problem = RandomProblem({}, random);
    const int devices = static_cast<int>(problem.devices.size());
    for (int from = 0; from < devices; ++from) {
      const int to = static_cast<int>(Uniform(random, 0, devices - 1));
      if (to == from) continue;
      problem.links.push_back(
          {from, to, Uniform(random, 0, 20), Uniform(random, 1, 1000), ""});
    }
    Bytes all = 0;
    for (const Layer& layer : problem.layers) {
      all += layer.cost.memory.saved_b_bytes + layer.cost.memory.saved_w_bytes +
             layer.cost.memory.param_bytes;
    }
    if (seed % 2 == 0) {
      for (Device& device : problem.devices) {
        device.memory_bytes = Uniform(random, all / 4, 2 * all) + 1;
      }
    }
    const bool split = seed % 3 != 0;
    BalancedStartsOptions options;
    options.split_backward = split;
    const BalancedStarts found = FindBalancedStarts(problem, options);
    if (found.makespan_ns == KeyScheduler::kNever) {
      EXPECT_TRUE(found.states.empty());
      ++refused;
      continue;
    }
    ++plans;
    ASSERT_TRUE(VerifyPlan(problem, found.plan).empty())
        << "seed " << seed << ": "
        << VerifyPlan(problem, found.plan).front().message;
    const auto timeline = EvaluateOrder(
        BuildStageTable(problem, found.plan.partition, found.plan.placement),
        found.plan.order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    EXPECT_EQ(timeline->makespan_ns, found.makespan_ns) << "seed " << seed;
    EXPECT_EQ(found.states.back().partition, found.plan.partition);
    for (const auto& program : found.plan.order.programs) {
      for (const WorkItem& item : program) {
        EXPECT_TRUE(split || item.kind != WorkKind::kWeightGradient);
      }
    }
  }
  EXPECT_GT(plans, 50);
  EXPECT_GT(refused, 5);
}

TEST(BalancedStarts, ComesNearTheBoundOfManyMicroBatches) {
  const Problem problem = Chain(52, 8, 64);
  const BalancedStarts found = FindBalancedStarts(problem, {});
  EXPECT_LT(GapPpm(found.makespan_ns, BestBound(problem).ns), 50'000);
}

TEST(BalancedStarts, KeepsToItsWork) {
  const Problem problem = Chain(52, 8, 16);
  // Two orders of the first layout.
  BalancedStartsOptions few;
  few.most_items = 1;
  EXPECT_EQ(FindBalancedStarts(problem, few).evaluations, 2);
  BalancedStartsOptions cancelled;
  cancelled.cancel = [] { return true; };
  const auto all = FindBalancedStarts(problem, {});
  EXPECT_GT(all.evaluations, 10);
  EXPECT_EQ(FindBalancedStarts(problem, cancelled).evaluations, 0);
}

}  // namespace
}  // namespace octopipe
