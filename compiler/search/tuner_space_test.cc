// The tuner and the sweep within a search space.

#include <atomic>
#include <optional>
#include <random>
#include <string>

#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/search/search_space.h"
#include "compiler/search/tuner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

Problem UnevenChain(int layers, int devices, int micro_batches) {
  std::vector<LayerTimes> times;
  for (int l = 0; l < layers; ++l) {
    times.push_back(l % 3 == 0 ? LayerTimes{13, 17, 5} : LayerTimes{7, 9, 8});
  }
  times.back() = {40, 45, 38};
  Problem problem = ChainProblem(times, devices, micro_batches);
  for (Layer& layer : problem.layers) layer.cost.memory.saved_w_bytes = 1;
  return problem;
}

TunerOptions Within(const SpaceFilter& filter, int64_t evaluations) {
  TunerOptions options;
  options.evaluations = evaluations;
  options.space = &filter;
  options.split_backward = filter.rules().can_split;
  return options;
}

TEST(TunerSpaceTest, StaysInTheSpace) {
  const Problem problem = UnevenChain(12, 3, 6);
  const SearchSpace spaces[] = {
      {Partition{{0, 3, 7, 9, 12}}, {}, {}},
      {std::nullopt, {{2, 4}, {9, 9}}, {}},
      {std::nullopt, {}, {{{0, 0}, 2}, {{11, 11}, 2}}},
      {std::nullopt, {{5, 8}}, {{{5, 6}, 1}, {{9, 9}, 0}}},
      {std::nullopt, {}, {}, RuntimeTarget::kTorch},
      {std::nullopt, {{10, 11}}, {{{0, 0}, 1}}, RuntimeTarget::kTorch},
      {std::nullopt, {}, {}, RuntimeTarget::kTorchtitan},
      {std::nullopt, {{10, 11}}, {}, RuntimeTarget::kTorchtitan},
  };
  int shorter = 0;
  for (size_t i = 0; i < std::size(spaces); ++i) {
    SCOPED_TRACE(i);
    ASSERT_TRUE(CheckSearchSpace(problem, spaces[i]).ok());
    const SpaceFilter filter(problem, spaces[i]);
    SweepOptions sweep_options;
    sweep_options.space = &filter;
    const auto sweep = SweepPolicies(problem, sweep_options);
    ASSERT_TRUE(sweep.ok()) << sweep.status();
    EXPECT_EQ(filter.Check(sweep->plan), absl::OkStatus());
    const auto tuned = Tune(problem, Within(filter, 8000));
    ASSERT_TRUE(tuned.ok()) << tuned.status();
    EXPECT_EQ(filter.Check(tuned->plan), absl::OkStatus());
    EXPECT_EQ(VerifyPlan(problem, tuned->plan).size(), 0u);
    EXPECT_LE(tuned->metrics.makespan_ns, sweep->metrics.makespan_ns);
    shorter += tuned->metrics.makespan_ns < sweep->metrics.makespan_ns;
  }
  // Where the head and the layer before it are one stage, the sweep's plans
  // leave nothing to gain.
  EXPECT_EQ(shorter, 6);
}

TEST(TunerSpaceTest, ThreadsDoNotChangeThePlan) {
  const Problem problem = UnevenChain(12, 3, 6);
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {}, RuntimeTarget::kTorchtitan});
  TunerOptions options = Within(filter, 5000);
  const auto one = Tune(problem, options);
  options.threads = 3;
  const auto three = Tune(problem, options);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->plan.partition, three->plan.partition);
  EXPECT_EQ(one->plan.placement, three->plan.placement);
  EXPECT_EQ(one->plan.order, three->plan.order);
}

TEST(TunerSpaceTest, RandomModelsKeepWhatTorchReads) {
  std::mt19937_64 random(2);
  ProblemShape shape;
  shape.max_layers = 8;
  shape.max_micro_batches = 5;
  int tuned_models = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = RandomProblem(shape, random);
    SearchSpace space;
    space.target =
        i % 2 == 0 ? RuntimeTarget::kTorch : RuntimeTarget::kTorchtitan;
    if (!CheckSearchSpace(problem, space).ok()) continue;
    const SpaceFilter filter(problem, space);
    const auto tuned = Tune(problem, Within(filter, 1000));
    if (!tuned.ok()) continue;
    ++tuned_models;
    EXPECT_EQ(filter.Check(tuned->plan), absl::OkStatus());
    EXPECT_EQ(VerifyPlan(problem, tuned->plan).size(), 0u);
  }
  EXPECT_GE(tuned_models, 10);
}

TEST(TunerSpaceTest, RefusesAWarmStartOutside) {
  const Problem problem = UnevenChain(12, 3, 6);
  const auto free = Tune(problem, [] {
    TunerOptions options;
    options.evaluations = 1;
    return options;
  }());
  ASSERT_TRUE(free.ok());
  const int last = free->plan.placement.device.back();
  const SpaceFilter filter(problem,
                           {std::nullopt, {}, {{{11, 11}, (last + 1) % 3}}});
  TunerOptions options = Within(filter, 1);
  options.warm_start = &free->plan;
  EXPECT_THAT(std::string(Tune(problem, options).status().message()),
              HasSubstr("the plan to start from lies outside the search space: "
                        "layer 'l11' is pinned to"));
}

TEST(TunerSpaceTest, ACancelledSweepEndsWithItsFirstPlan) {
  const Problem problem = UnevenChain(12, 3, 6);
  SweepOptions options;
  const auto whole = SweepPolicies(problem, options);
  options.cancel = [] { return true; };
  const auto cut_short = SweepPolicies(problem, options);
  ASSERT_TRUE(whole.ok() && cut_short.ok());
  EXPECT_LT(cut_short->candidates.size(), whole->candidates.size());
  EXPECT_EQ(VerifyPlan(problem, cut_short->plan).size(), 0u);

  const std::atomic<bool> cancel{true};
  TunerOptions tune;
  tune.time_limit_s = 1000;
  tune.cancel = &cancel;
  const auto tuned = Tune(problem, tune);
  ASSERT_TRUE(tuned.ok()) << tuned.status();
  EXPECT_EQ(tuned->stop, TunerStop::kCancelled);
  EXPECT_EQ(tuned->evaluations,
            static_cast<int64_t>(cut_short->candidates.size()));
}

}  // namespace
}  // namespace octopipe
