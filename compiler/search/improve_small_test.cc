#include "compiler/search/improve_small.h"

#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/search_space.h"
#include "compiler/search/small_layouts.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

// Equal layers in a chain on equal devices.
Problem Chain(int layers, int devices, int micro_batches) {
  Problem problem;
  for (int l = 0; l < layers; ++l) {
    Layer layer;
    layer.name = std::string(1, static_cast<char>('a' + l));
    layer.cost.times = {1, 1, 1};
    if (l > 0) layer.inputs = {l - 1};
    problem.layers.push_back(layer);
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back(
        {std::string(1, static_cast<char>('A' + d)), "any"});
  }
  problem.micro_batches = micro_batches;
  return problem;
}

TEST(SmallLayoutsTest, AreEachOnceAndValid) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = RandomProblem({5, 3, 2}, random);
    std::set<std::pair<std::vector<int>, std::vector<int>>> seen;
    for (const SmallLayout& layout : AllLayouts(problem, nullptr)) {
      EXPECT_TRUE(CheckPartition(problem, layout.partition).empty());
      EXPECT_TRUE(
          CheckPlacement(problem, layout.partition, layout.placement).empty());
      EXPECT_TRUE(seen.insert({layout.partition.begin, layout.placement.device})
                      .second);
    }
    EXPECT_LE(static_cast<int64_t>(seen.size()),
              CountLayouts(problem, 1000000));
  }
}

TEST(SmallLayoutsTest, LeaveOutWhatIsNoBetter) {
  Problem problem = Chain(4, 3, 2);
  // A stage a layer; the partitions of 4 layers into at most 3 sets.
  EXPECT_EQ(AllLayouts(problem, nullptr).size(), 14u);
  problem.devices[0].speed_permille = 900;
  problem.devices[1].speed_permille = 1100;
  EXPECT_EQ(AllLayouts(problem, nullptr).size(), 81u);
  // One of two devices goes first.
  problem.devices[1].speed_permille = 1000;
  EXPECT_EQ(AllLayouts(problem, nullptr).size(), (81u + 1) / 2);
  problem.links = {{1, 2, 5, 0, ""}};
  EXPECT_EQ(AllLayouts(problem, nullptr).size(), 81u);
  problem.launch_overhead_ns = 1;
  EXPECT_EQ(AllLayouts(problem, nullptr).size(), 3u * 4 * 4 * 4);
  EXPECT_EQ(CountLayouts(problem, 1000), 192);
  EXPECT_EQ(CountLayouts(problem, 100), 100);
}

TEST(ImproveSmallTest, FindsAPlanBelowTheLimitOrNone) {
  std::mt19937_64 random(3);
  int tried = 0;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    Problem problem = RandomProblem({4, 3, 3}, random);
    if (!IsSmall(problem)) continue;
    ++tried;
    int64_t nodes = 10'000'000;
    const auto best = ImproveSmall(problem, nullptr, true, kNever, &nodes);
    ASSERT_TRUE(best.has_value());
    ASSERT_GT(nodes, 0);
    EXPECT_EQ(VerifyPlan(problem, best->plan).size(), 0u);
    const auto timeline = EvaluateOrder(
        BuildStageTable(problem, best->plan.partition, best->plan.placement),
        best->plan.order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    EXPECT_EQ(timeline->makespan_ns, best->makespan_ns);
    EXPECT_GE(best->makespan_ns, BestBound(problem).ns);

    EXPECT_FALSE(ImproveSmall(problem, nullptr, true, best->makespan_ns, &nodes)
                     .has_value());
    const auto again =
        ImproveSmall(problem, nullptr, true, best->makespan_ns + 1, &nodes);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->makespan_ns, best->makespan_ns);
  }
  EXPECT_GT(tried, 100);
}

TEST(ImproveSmallTest, StopsWhereItsNodesEnd) {
  const Problem problem = Chain(5, 2, 4);
  int64_t nodes = 100;
  const auto first = ImproveSmall(problem, nullptr, true, kNever, &nodes);
  EXPECT_EQ(nodes, 0);
  nodes = 0;
  EXPECT_FALSE(
      ImproveSmall(problem, nullptr, true, kNever, &nodes).has_value());
  // The same again.
  nodes = 100;
  const auto second = ImproveSmall(problem, nullptr, true, kNever, &nodes);
  ASSERT_EQ(first.has_value(), second.has_value());
  if (first) {
    EXPECT_EQ(first->plan.order, second->plan.order);
  }
}

TEST(ImproveSmallTest, KeepsToASpace) {
  Problem problem = Chain(4, 2, 3);
  SearchSpace space;
  space.stages = {{0, 1}};
  space.devices = {{{3, 3}, 0}};
  const SpaceFilter filter(problem, space);
  for (const SmallLayout& layout : AllLayouts(problem, &filter)) {
    EXPECT_TRUE(filter.Allows(layout.partition, layout.placement));
  }
  // On either device layers 0 and 1, and on both, cut or not, layer 2; but it
  // is no stage with layer 3 on device 1.
  EXPECT_EQ(AllLayouts(problem, &filter).size(), 2u * 3);
  int64_t nodes = 1'000'000;
  const auto best = ImproveSmall(problem, &filter, true, kNever, &nodes);
  ASSERT_TRUE(best.has_value());
  EXPECT_TRUE(filter.Check(best->plan).ok());
  const auto free = ImproveSmall(problem, nullptr, true, kNever, &nodes);
  ASSERT_TRUE(free.has_value());
  EXPECT_LT(free->makespan_ns, best->makespan_ns);
}

TEST(ImproveSmallTest, ModelsAreNotSmall) {
  EXPECT_TRUE(IsSmall(Chain(5, 3, 4)));
  EXPECT_FALSE(IsSmall(Chain(5, 3, 5)));   // items
  EXPECT_FALSE(IsSmall(Chain(10, 3, 2)));  // layouts
}

}  // namespace
}  // namespace octopipe
