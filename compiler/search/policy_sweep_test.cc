#include "compiler/search/policy_sweep.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

Problem Chain(const std::vector<LayerTimes>& times, int devices,
              int64_t micro_batches) {
  Problem problem = ChainProblem(times, devices, micro_batches);
  for (Layer& layer : problem.layers) {
    layer.cost.memory.param_bytes = 4;
    layer.cost.memory.saved_b_bytes = 1;
    layer.cost.memory.saved_w_bytes = 1;
  }
  return problem;
}

// Of unequal layers, with a heavy last one.
Problem Uneven(int layers, int devices, int64_t micro_batches) {
  std::vector<LayerTimes> times;
  for (int l = 0; l < layers; ++l) {
    times.push_back({10 + l % 3 * 7, 12 + l % 2 * 9, 5 + l % 4 * 4});
  }
  times.back() = {60, 70, 10};
  return Chain(times, devices, micro_batches);
}

SweepResult Sweep(const Problem& problem, const SweepOptions& options = {}) {
  auto result = SweepPolicies(problem, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

absl::Status ErrorOf(const Problem& problem, const SweepOptions& options) {
  return SweepPolicies(problem, options).status();
}

TEST(SweepPolicies, ReturnsAPlanThatKeepsItsPromise) {
  for (int devices : {1, 2, 4, 5}) {
    const Problem problem = Uneven(13, devices, 6);
    const SweepResult result = Sweep(problem);
    EXPECT_TRUE(VerifyPlan(problem, result.plan).empty());
    const SweepCandidate& best = result.candidates[result.best];
    EXPECT_EQ(result.metrics.makespan_ns, best.makespan_ns);
    EXPECT_EQ(result.plan.partition.stages(), best.stages);
    EXPECT_GE(best.makespan_ns, BestBound(problem).ns);
    ASSERT_TRUE(result.baseline.refusal.ok()) << result.baseline.refusal;
    EXPECT_LE(best.makespan_ns, result.baseline.makespan_ns);
  }
}

TEST(SweepPolicies, EndsWithItsWork) {
  const Problem problem = Uneven(13, 3, 6);
  const SweepResult all = Sweep(problem);
  SweepOptions options;
  options.most_items = 1;
  const SweepResult least = Sweep(problem, options);
  EXPECT_TRUE(VerifyPlan(problem, least.plan).empty());
  EXPECT_EQ(least.candidates.size(), 1);
  EXPECT_EQ(least.candidates[0].policy, "list");

  // Enough for all of them.
  options.most_items = 1'000'000;
  EXPECT_EQ(Sweep(problem, options).candidates.size(), all.candidates.size());

  // Nearly enough: layouts that cannot be better are left out.
  options.most_items =
      static_cast<int64_t>(all.candidates.size()) * 3 * 13 * 6 / 2;
  const SweepResult most = Sweep(problem, options);
  EXPECT_LT(most.candidates.size(), all.candidates.size());
  EXPECT_EQ(most.metrics.makespan_ns, all.metrics.makespan_ns);
  // The best of all, wherever it was tried.
  EXPECT_TRUE(most.layouts[most.candidates[most.best].layout].partition ==
              most.plan.partition);
}

TEST(SweepPolicies, PrefersTimeThenMemoryThenStages) {
  const SweepResult result = Sweep(Uneven(13, 3, 6));
  const SweepCandidate& best = result.candidates[result.best];
  auto key = [](const SweepCandidate& candidate) {
    return std::tie(candidate.makespan_ns, candidate.peak_bytes,
                    candidate.stages);
  };
  int plans = 0;
  for (int c = 0; c < static_cast<int>(result.candidates.size()); ++c) {
    const SweepCandidate& other = result.candidates[c];
    if (!other.refusal.ok()) continue;
    ++plans;
    if (c < result.best) {
      EXPECT_LT(key(best), key(other)) << c;
    } else {
      EXPECT_LE(key(best), key(other)) << c;
    }
  }
  EXPECT_GT(plans, 50);
}

TEST(SweepPolicies, IsDeterministic) {
  const Problem problem = Uneven(9, 3, 4);
  const SweepResult first = Sweep(problem);
  const SweepResult second = Sweep(problem);
  EXPECT_EQ(first.best, second.best);
  EXPECT_EQ(first.plan.order, second.plan.order);
  EXPECT_EQ(first.candidates.size(), second.candidates.size());
}

TEST(SweepPolicies, TriesWhatItSays) {
  const SweepResult result = Sweep(Uneven(16, 2, 3));
  std::set<int> stages;
  std::set<std::string> policies;
  std::set<std::tuple<int, PartitionObjective, PlacementStrategy>> layouts;
  for (const SweepCandidate& candidate : result.candidates) {
    stages.insert(candidate.stages);
    layouts.insert(
        {candidate.stages, candidate.partition, candidate.placement});
    policies.insert(candidate.policy);
  }
  EXPECT_EQ(stages, (std::set<int>{2, 4, 6, 8, 12, 16}));
  using Objective = PartitionObjective;
  using Strategy = PlacementStrategy;
  EXPECT_EQ(layouts.count({2, Objective::kEven, Strategy::kLoop}), 1u);
  EXPECT_EQ(layouts.count({2, Objective::kMinMax, Strategy::kLoop}), 1u);
  EXPECT_EQ(layouts.count({4, Objective::kEven, Strategy::kWave}), 1u);
  // One stage a device: a wave is a loop, which is not tried twice.
  EXPECT_EQ(layouts.count({2, Objective::kEven, Strategy::kWave}), 0u);
  for (const char* policy : {"gpipe", "1f1b", "zb-v", "list", "list-oldest"}) {
    EXPECT_EQ(policies.count(policy), 1u) << policy;
  }
}

TEST(SweepPolicies, UsesEveryLayerOfAShortModel) {
  const SweepResult result = Sweep(Uneven(3, 5, 4));
  EXPECT_EQ(result.candidates[result.best].stages, 3);
  EXPECT_FALSE(result.baseline.refusal.ok());
}

TEST(SweepPolicies, KeepsWhatIsFixed) {
  SweepOptions options;
  options.policy = "zb-h1";
  options.boundaries = {2, 5};
  options.map = {2, 0, 1};
  const SweepResult result = Sweep(Uneven(9, 3, 4), options);
  ASSERT_EQ(result.candidates.size(), 1u);
  EXPECT_EQ(result.candidates[0].policy, "zb-h1");
  EXPECT_EQ(result.candidates[0].partition, PartitionObjective::kGiven);
  EXPECT_EQ(result.candidates[0].placement, PlacementStrategy::kGiven);
  EXPECT_EQ(result.plan.partition.begin, (std::vector<int>{0, 2, 5, 9}));
  EXPECT_EQ(result.plan.placement.device, (std::vector<int>{2, 0, 1}));
}

TEST(SweepPolicies, KeepsTheBackwardAsAsked) {
  SweepOptions options;
  for (BackwardSplit split : {BackwardSplit::kNever, BackwardSplit::kAlways}) {
    options.split = split;
    const SweepResult result = Sweep(Uneven(9, 3, 4), options);
    for (const auto& program : result.plan.order.programs) {
      for (const WorkItem& item : program) {
        EXPECT_NE(item.kind, split == BackwardSplit::kNever
                                 ? WorkKind::kInputGradient
                                 : WorkKind::kBackward);
      }
    }
  }
}

TEST(SweepPolicies, CountsProgressToItsTotal) {
  std::vector<int> done;
  int last_total = 0;
  SweepOptions options;
  options.progress = [&](int now, int total) {
    done.push_back(now);
    last_total = total;
  };
  Sweep(Uneven(9, 3, 4), options);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), last_total);
}

// Each memory that is a little less than what the best plan needs leads to
// another plan that fits, until none does.
TEST(SweepPolicies, StaysWithinMemory) {
  Problem problem = Uneven(6, 2, 5);
  SweepResult result = Sweep(problem);
  Bytes least = result.candidates[result.best].peak_bytes;
  for (const SweepCandidate& candidate : result.candidates) {
    if (candidate.refusal.ok()) least = std::min(least, candidate.peak_bytes);
  }
  int plans = 0;
  while (true) {
    const Bytes peak = result.candidates[result.best].peak_bytes;
    for (Device& device : problem.devices) device.memory_bytes = peak - 1;
    auto next = SweepPolicies(problem, {});
    if (!next.ok()) {
      EXPECT_EQ(next.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_TRUE(SubjectOf(next.status()).has_value());
      // Of what was refused, it names the plan that needs least.
      EXPECT_THAT(std::string(next.status().message()),
                  HasSubstr(absl::StrCat("needs ", least, " bytes")));
      break;
    }
    result = *std::move(next);
    EXPECT_TRUE(VerifyPlan(problem, result.plan).empty());
    EXPECT_LT(result.candidates[result.best].peak_bytes, peak);
    ++plans;
  }
  EXPECT_GT(plans, 3);
}

TEST(SweepPolicies, FillsMemoryToTheLastByte) {
  Problem problem = Uneven(6, 2, 5);
  SweepOptions options;
  options.policy = "1f1b";
  options.stages = 2;
  options.partition = PartitionObjective::kEven;
  const Bytes peak = Sweep(problem, options).candidates[0].peak_bytes;
  for (Device& device : problem.devices) device.memory_bytes = peak;
  EXPECT_EQ(Sweep(problem, options).candidates[0].peak_bytes, peak);
  for (Device& device : problem.devices) device.memory_bytes = peak - 1;
  const absl::Status refusal = ErrorOf(problem, options);
  EXPECT_EQ(refusal.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("1 byte over its "));
}

TEST(SweepPolicies, RefusesContradictions) {
  const Problem problem = Uneven(9, 3, 4);
  SweepOptions options;
  options.boundaries = {2, 5};
  options.stages = 4;
  EXPECT_EQ(ErrorOf(problem, options).message(),
            "the number of boundaries says 3 stages, but 4 are asked for");
  options.stages.reset();
  options.partition = PartitionObjective::kEven;
  EXPECT_EQ(ErrorOf(problem, options).message(),
            "boundaries are given, but the objective is even; expected given");
  options.partition.reset();
  options.map = {0, 1};
  EXPECT_EQ(ErrorOf(problem, options).message(),
            "the number of devices of stages says 2 stages, but 3 are asked "
            "for");
  options.map = {0, 1, 3};
  EXPECT_EQ(ErrorOf(problem, options).code(),
            absl::StatusCode::kInvalidArgument);
  options.map.clear();
  options.boundaries = {5, 2};
  EXPECT_EQ(ErrorOf(problem, options).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SweepPolicies, RefusesWhatCannotBe) {
  const Problem problem = Uneven(9, 3, 4);
  SweepOptions options;
  options.stages = 10;
  EXPECT_EQ(ErrorOf(problem, options).message(),
            "cannot form 10 stages from 9 layers; choose from 1 to 9");
  options.stages.reset();
  options.policy = "nope";
  EXPECT_EQ(ErrorOf(problem, options).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ErrorOf(problem, options).message()),
              HasSubstr("expected one of gpipe, 1f1b, "));
  options.policy = "1f1b";
  options.split = BackwardSplit::kAlways;
  EXPECT_THAT(std::string(ErrorOf(problem, options).message()),
              HasSubstr("none of "));
}

}  // namespace
}  // namespace octopipe
