#include "compiler/simulator/order_evaluator.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/longest_path_oracle.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Nanos MakespanOf(const StageTable& table, const Order& order) {
  const std::optional<Timeline> timeline = LongestPath(table, order);
  return timeline ? timeline->makespan_ns : OrderEvaluator::kNever;
}

// A position in a random non-empty program, or device -1.
struct Place {
  int device = -1;
  int position = 0;
};
Place RandomPlace(const Order& order, std::mt19937_64& random) {
  const int device = Below(random, order.programs.size());
  if (order.programs[device].empty()) return {};
  return {device,
          static_cast<int>(Below(random, order.programs[device].size()))};
}

void Move(std::vector<WorkItem>& program, int from, int to) {
  const WorkItem item = program[from];
  program.erase(program.begin() + from);
  program.insert(program.begin() + to, item);
}

// Edits pile up and are undone; some make a device wait for ever; some
// evaluations stop at a limit half way. The result is always that of the order
// as it is.
TEST(OrderEvaluator, FollowsEditsUndosAndLimits) {
  std::mt19937_64 random(1);
  int never = 0;
  int cut = 0;
  for (int i = 0; i < 400; ++i) {
    InstanceShape shape;
    shape.chain = i % 2 == 0;
    StageTable table = RandomTable(shape, random);
    Order order = RandomOrder(table, random);
    OrderEvaluator evaluator(table);
    ASSERT_TRUE(evaluator.SetOrder(order).ok());
    Nanos best = evaluator.Makespan();
    ASSERT_EQ(best, MakespanOf(table, order));
    for (int step = 0; step < 40; ++step) {
      const Place place = RandomPlace(order, random);
      if (place.device < 0) continue;
      std::vector<WorkItem>& program = order.programs[place.device];
      const int size = static_cast<int>(program.size());
      // Mostly near, so that many orders stay without a cycle.
      const int other =
          std::clamp<int>(place.position + Below(random, 5) - 2, 0, size - 1);
      const bool move = Below(random, 2) == 0;
      if (move) {
        Move(program, place.position, other);
        evaluator.MoveItem(place.device, place.position, other);
      } else {
        std::swap(program[place.position], program[other]);
        evaluator.SwapItems(place.device, place.position, other);
      }
      const Nanos expected = MakespanOf(table, order);
      switch (Below(random, 4)) {
        case 0:
          break;  // the next edit comes before an evaluation
        case 1: {
          const std::optional<Nanos> below = evaluator.MakespanIfBelow(best);
          ASSERT_EQ(below.has_value(), expected < best);
          ASSERT_EQ(below.value_or(expected), expected);
          if (!below) ++cut;
          break;
        }
        default:
          ASSERT_EQ(evaluator.Makespan(), expected)
              << "instance " << i << ", step " << step;
          if (expected == OrderEvaluator::kNever) ++never;
      }
      if (Below(random, 2) == 0) {
        if (move) {
          Move(program, other, place.position);
          evaluator.MoveItem(place.device, other, place.position);
        } else {
          std::swap(program[place.position], program[other]);
          evaluator.SwapItems(place.device, place.position, other);
        }
      }
      if (Below(random, 10) == 0) {
        const int stage = Below(random, table.num_stages());
        StageCost& cost = table.stages[stage];
        cost.f_ns = Below(random, 40);
        cost.bw_ns = Below(random, 40);
        cost.b_ns = Below(random, 40);
        cost.w_ns = Below(random, 40);
        evaluator.SetStageCosts(stage, cost);
      }
    }
    const Nanos last = evaluator.Makespan();
    ASSERT_EQ(last, MakespanOf(table, order));
    if (last == OrderEvaluator::kNever) continue;
    const std::optional<Timeline> timeline = LongestPath(table, order);
    for (int d = 0; d < table.num_devices; ++d) {
      const absl::Span<const Nanos> starts = evaluator.Starts(d);
      ASSERT_EQ(std::vector<Nanos>(starts.begin(), starts.end()),
                timeline->start_ns[d]);
    }
  }
  EXPECT_GT(never, 300);
  EXPECT_GT(cut, 300);
}

TEST(OrderEvaluator, ShuffledOrdersGiveTheSameAsEvaluateOrder) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const StageTable table = RandomTable({3, 3, 2, false}, random);
    OrderEvaluator evaluator(table);
    // One evaluator for several orders.
    for (int n = 0; n < 3; ++n) {
      const Order order =
          n == 1 ? RandomOrder(table, random) : ShuffledOrder(table, random);
      ASSERT_TRUE(evaluator.SetOrder(order).ok());
      const auto timeline = EvaluateOrder(table, order);
      ASSERT_EQ(evaluator.Makespan(),
                timeline.ok() ? timeline->makespan_ns : OrderEvaluator::kNever);
    }
  }
}

TEST(OrderEvaluator, TheLimitItselfIsNotBelow) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const StageTable table = RandomTable({}, random);
    const Order order = RandomOrder(table, random);
    const Nanos makespan = MakespanOf(table, order);
    OrderEvaluator evaluator(table);
    ASSERT_TRUE(evaluator.SetOrder(order).ok());
    EXPECT_EQ(evaluator.MakespanIfBelow(makespan), std::nullopt);
    EXPECT_EQ(evaluator.MakespanIfBelow(makespan + 1), makespan);
  }
}

TEST(OrderEvaluator, AnOrderThatIsRefusedLeavesNone) {
  std::mt19937_64 random(4);
  const StageTable table = RandomTable({2, 1, 2, true}, random);
  Order order = RandomOrder(table, random);
  OrderEvaluator evaluator(table);
  ASSERT_TRUE(evaluator.SetOrder(order).ok());
  evaluator.Makespan();
  order.programs[0].push_back(order.programs[0].front());
  EXPECT_FALSE(evaluator.SetOrder(order).ok());
  EXPECT_EQ(evaluator.Makespan(), 0);
  EXPECT_TRUE(evaluator.Starts(0).empty());
}

}  // namespace
}  // namespace octopipe
