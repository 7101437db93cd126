// The search for the best order of a layout against exhaustive construction.

#include "compiler/search/order_search.h"

#include <algorithm>
#include <limits>
#include <random>

#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"
#include "tests/oracles/order_enumerator.h"

namespace octopipe {
namespace {

constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

struct Instance {
  Problem problem;
  Partition partition;
  Placement placement;
};

// Two devices, so that there are no more channels than can be enumerated; every
// other one with limited memory, which may be too little for any order.
Instance RandomLayout(int index, std::mt19937_64& random) {
  constexpr ProblemShape kShapes[] = {{3, 2, 2}, {2, 2, 3}, {4, 2, 1}};
  Instance instance;
  Problem& problem = instance.problem;
  problem = RandomProblem(kShapes[index % 3], random);
  // Messages about as long as work, which queue now and then.
  for (Link& link : problem.links) {
    if (index % 4 < 2) link.bytes_per_us = Uniform(random, 500, 4000);
  }
  const int stages =
      static_cast<int>(Uniform(random, 1, problem.layers.size()));
  const int devices = static_cast<int>(problem.devices.size());
  instance.partition = RandomPartition(problem, stages, random);
  instance.placement =
      RandomPlacement(PlacementShape::kAny, stages, devices, random);
  if (index % 2 == 0) return instance;
  const StageTable table =
      BuildStageTable(problem, instance.partition, instance.placement);
  for (int d = 0; d < devices; ++d) {
    Bytes saved = 0;
    for (const StageCost& stage : table.stages) {
      if (stage.device == d) saved += stage.saved_bytes();
    }
    problem.devices[d].memory_bytes =
        1 + table.static_bytes[d] +
        Uniform(random, saved / 2, saved * problem.micro_batches + 60);
  }
  return instance;
}

void ExpectLeast(int index, int* limited, int* without_order) {
  SCOPED_TRACE(index);
  std::mt19937_64 random(index);
  const Instance instance = RandomLayout(index, random);
  const Problem& problem = instance.problem;
  const StageTable table =
      BuildStageTable(problem, instance.partition, instance.placement);
  OrderSearch search(table, true, problem.launch_overhead_ns);
  int64_t nodes = 1'000'000;
  const auto found = search.Run(kNever, &nodes);
  ASSERT_GT(nodes, 0);
  const Nanos least = LeastMakespan(table, kNever);
  *limited += problem.devices[0].memory_bytes > 0;
  *without_order += least == kNever;
  ASSERT_EQ(found.value_or(kNever), least);
  if (!found) return;
  EXPECT_LE(search.Floor(), least);
  const Plan plan{instance.partition, instance.placement, search.order()};
  EXPECT_EQ(VerifyPlan(problem, plan).size(), 0u);
  const auto timeline = EvaluateOrder(table, plan.order);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_EQ(timeline->makespan_ns, least);

  // Nothing is below the least, and what is below the limit is found.
  EXPECT_EQ(search.Run(least, &nodes), std::nullopt);
  EXPECT_EQ(search.Run(least + 1, &nodes), least);
}

TEST(OrderSearchTest, FindsTheLeastMakespan) {
  int limited = 0, without_order = 0;
  for (int i = 0; i < 6000; ++i) {
    ExpectLeast(i, &limited, &without_order);
  }
  EXPECT_GT(limited, 1000);
  EXPECT_GT(without_order, 50);
}

TEST(OrderSearchTest, KeepsBackwardsWhole) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    Instance instance = RandomLayout(2 * i, random);
    for (Layer& layer : instance.problem.layers) {
      layer.cost.splittable = false;
    }
    const StageTable whole = BuildStageTable(
        instance.problem, instance.partition, instance.placement);
    StageTable table = whole;
    for (StageCost& stage : table.stages) stage.splittable = true;
    OrderSearch search(table, /*split_backward=*/false,
                       instance.problem.launch_overhead_ns);
    int64_t nodes = 1'000'000;
    EXPECT_EQ(search.Run(kNever, &nodes), LeastMakespan(whole, kNever));
    for (const auto& program : search.order().programs) {
      for (const WorkItem& item : program) {
        EXPECT_NE(item.kind, WorkKind::kInputGradient);
        EXPECT_NE(item.kind, WorkKind::kWeightGradient);
      }
    }
  }
}

}  // namespace
}  // namespace octopipe
