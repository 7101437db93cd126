#include "compiler/search/gap_scheduler.h"

#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/random_layout.h"
#include "compiler/search/task_graph.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Starts of one direction of time as keys of the other.
std::vector<int64_t> Turned(absl::Span<const Nanos> starts,
                            const TaskGraph& graph) {
  std::vector<int64_t> keys(starts.size());
  const size_t micro_batches = graph.micro_batches;
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t task = i / micro_batches, m = i % micro_batches;
    keys[task * micro_batches + micro_batches - 1 - m] =
        -(starts[i] + graph.durations[task]);
  }
  return keys;
}

// Without transfers, whose queues it does not know: a pass over a schedule
// starts no item later, so a pass in each direction of time never lengthens it.
TEST(GapSchedulerTest, JustifiesSchedules) {
  int shorter = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RandomLayout instance = MakeRandomLayout(seed, random);
    instance.problem.links.clear();
    instance.table = BuildStageTable(instance.problem, instance.partition,
                                     instance.placement);
    KeyScheduler scheduler;
    ASSERT_TRUE(scheduler.SetTable(instance.table, instance.split,
                                   instance.table.memory_bytes));
    const auto makespan =
        scheduler.Run({instance.keys, 0, {}, false}, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    std::vector<int64_t> keys;
    scheduler.GetOrderKeys(&keys);
    GapScheduler gaps;
    gaps.SetGraph(scheduler.graph());
    EXPECT_EQ(gaps.Run(keys, {}), *makespan);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_LE(gaps.Starts()[i], scheduler.Starts()[i]);
    }

    TaskGraph reversed;
    reversed.Build(instance.table, instance.split,
                   TaskGraph::Direction::kReversed);
    gaps.SetGraph(reversed);
    const Nanos back =
        gaps.Run(Turned(scheduler.Starts(), scheduler.graph()), {});
    ASSERT_GE(back, 0);
    EXPECT_LE(back, *makespan);
    keys = Turned(gaps.Starts(), reversed);
    gaps.SetGraph(scheduler.graph());
    const Nanos forth = gaps.Run(keys, {});
    ASSERT_GE(forth, 0);
    EXPECT_LE(forth, back);
    shorter += forth < *makespan;
  }
  EXPECT_GT(shorter, 10);
}

}  // namespace
}  // namespace octopipe
