// Orders at random against an execution that tries every device in turn.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

int StageOf(const Partition& partition, int layer) {
  return std::upper_bound(partition.begin.begin(), partition.begin.end(),
                          layer) -
         partition.begin.begin() - 1;
}

// The forwards (true) and whole backwards (false) that have ended, by stage and
// micro-batch.
using Ended = std::set<std::tuple<bool, int, int>>;

bool CanRun(const Problem& problem, const Partition& partition,
            const WorkItem& item, const Ended& ended) {
  const int m = item.micro_batch;
  const bool is_forward = item.kind == WorkKind::kForward;
  if (!is_forward && ended.count({true, item.stage, m}) == 0) return false;
  for (int l = 0; l < static_cast<int>(problem.layers.size()); ++l) {
    const int to = StageOf(partition, l);
    for (int input : problem.layers[l].inputs) {
      const int from = StageOf(partition, input);
      if (from == to) continue;
      if (is_forward && to == item.stage && ended.count({true, from, m}) == 0) {
        return false;
      }
      if (!is_forward && from == item.stage &&
          problem.layers[input].needs_grad &&
          ended.count({false, to, m}) == 0) {
        return false;
      }
    }
  }
  return true;
}

bool RunsToTheEnd(const Problem& problem, const Plan& plan) {
  Ended ended;
  std::vector<size_t> next(plan.order.programs.size(), 0);
  size_t left = 0;
  for (const auto& program : plan.order.programs) left += program.size();
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (size_t d = 0; d < next.size(); ++d) {
      const std::vector<WorkItem>& program = plan.order.programs[d];
      while (next[d] < program.size() &&
             CanRun(problem, plan.partition, program[next[d]], ended)) {
        const WorkItem& item = program[next[d]++];
        ended.insert(
            {item.kind == WorkKind::kForward, item.stage, item.micro_batch});
        --left;
        has_moved = true;
      }
    }
  }
  return left == 0;
}

// Each device takes the next item of one of its `window` oldest unfinished
// micro-batches, so that its own data flow holds; then, now and then, two items
// change places.
Order RandomOrder(const Problem& problem, const Plan& plan, int window,
                  std::mt19937_64& random) {
  Order order;
  const int stages = plan.partition.stages();
  for (int d = 0; d < static_cast<int>(problem.devices.size()); ++d) {
    std::vector<std::vector<WorkItem>> left(problem.micro_batches);
    for (int m = 0; m < problem.micro_batches; ++m) {
      for (int s = 0; s < stages; ++s) {
        if (plan.placement.device[s] == d) left[m].push_back(Backward(s, m));
      }
      for (int s = stages - 1; s >= 0; --s) {
        if (plan.placement.device[s] == d) left[m].push_back(Forward(s, m));
      }
    }
    order.programs.emplace_back();
    std::vector<WorkItem>& program = order.programs.back();
    while (!left.empty()) {
      const int reach = std::min<int>(window, left.size());
      auto chosen = left.begin() + Uniform(random, 0, reach - 1);
      if (chosen->empty()) {
        left.erase(chosen);
        continue;
      }
      program.push_back(chosen->back());
      chosen->pop_back();
    }
    if (program.empty() || Uniform(random, 0, 9) != 0) continue;
    std::swap(program[Uniform(random, 0, program.size() - 1)],
              program[Uniform(random, 0, program.size() - 1)]);
  }
  return order;
}

TEST(VerifyPlan, FindsDeadlocksExactlyWhereDevicesGetStuck) {
  int stuck = 0;
  int deadlocks = 0;
  constexpr int kOrders = 4000;
  for (int seed = 0; seed < kOrders; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomProblem({8, 4, 5}, random);
    const int stages = Uniform(random, 1, problem.layers.size());
    Plan plan;
    plan.partition = RandomPartition(problem, stages, random);
    plan.placement = RandomPlacement(PlacementShape::kAny, stages,
                                     problem.devices.size(), random);
    plan.order = RandomOrder(problem, plan, Uniform(random, 1, 4), random);
    const std::vector<Finding> findings = VerifyPlan(problem, plan);
    for (const Finding& finding : findings) {
      ASSERT_TRUE(finding.rule == Rule::kDataFlow ||
                  finding.rule == Rule::kDeadlock)
          << "seed " << seed << ": " << finding.message;
      deadlocks += finding.rule == Rule::kDeadlock;
    }
    const bool runs = RunsToTheEnd(problem, plan);
    stuck += !runs;
    ASSERT_EQ(findings.empty(), runs) << "seed " << seed;
  }
  // Enough of each kind for the comparison to mean something.
  EXPECT_GT(kOrders - stuck, kOrders / 10);
  EXPECT_GT(deadlocks, kOrders / 20);
}

}  // namespace
}  // namespace octopipe
