#include "compiler/search/key_scheduler.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/memory_timeline.h"
#include "compiler/simulator/random_instance.h"
#include "compiler/simulator/work_dag.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// What a run is given.
struct Input {
  StageTable table;
  std::vector<uint8_t> split;
  std::vector<Bytes> capacity;
  std::vector<int64_t> keys;
};

Input RandomInput(int index, std::mt19937_64& random) {
  InstanceShape shape;
  shape.chain = index % 2 == 0;
  Input input;
  input.table = RandomTable(shape, random);
  for (int s = 0; s < input.table.num_stages(); ++s) {
    input.split.push_back(Below(random, 2));
  }
  input.capacity.assign(input.table.num_devices, 0);
  input.keys.resize(3 * input.table.num_stages() * input.table.micro_batches);
  for (int64_t& key : input.keys) key = Below(random, 200);
  return input;
}

// Some devices have room for one micro-batch and a little more, or less than
// that.
void LimitMemory(std::mt19937_64& random, Input* input) {
  const StageTable& table = input->table;
  for (int d = 0; d < table.num_devices; ++d) {
    Bytes saved = 0, workspace = 0;
    for (const StageCost& stage : table.stages) {
      if (stage.device != d) continue;
      saved += stage.saved_bytes();
      workspace = std::max(
          {workspace, stage.f_workspace_bytes, stage.b_workspace_bytes});
    }
    if (Below(random, 4) == 0) continue;
    input->capacity[d] = 1 + table.static_bytes[d] + saved + workspace / 2 +
                         Below(random, saved + 1);
  }
}

void ExpectComplete(const Input& input, const Order& order) {
  std::vector<int> count(4 * input.table.num_stages());
  for (const auto& program : order.programs) {
    for (const WorkItem& item : program) {
      ++count[OpOf(item.kind, item.stage)];
    }
  }
  const int all = input.table.micro_batches;
  for (int s = 0; s < input.table.num_stages(); ++s) {
    const bool split = input.split[s] != 0;
    EXPECT_EQ(count[OpOf(WorkKind::kForward, s)], all);
    EXPECT_EQ(count[OpOf(WorkKind::kInputGradient, s)], split ? all : 0);
    EXPECT_EQ(count[OpOf(WorkKind::kWeightGradient, s)], split ? all : 0);
    EXPECT_EQ(count[OpOf(WorkKind::kBackward, s)], split ? 0 : all);
  }
}

// The order, played by the simulator, takes what the scheduler said it would.
void ExpectEvaluatesTheSame(const Input& input, const KeyScheduler& scheduler,
                            Nanos makespan) {
  const Order order = scheduler.MakeOrder();
  ExpectComplete(input, order);
  const auto timeline = EvaluateOrder(input.table, order);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_EQ(timeline->makespan_ns, makespan);
  for (int d = 0; d < input.table.num_devices; ++d) {
    for (size_t i = 0; i < order.programs[d].size(); ++i) {
      const WorkItem& item = order.programs[d][i];
      EXPECT_EQ(timeline->start_ns[d][i],
                scheduler.Starts()[TaskOf(item.kind, item.stage) *
                                       input.table.micro_batches +
                                   item.micro_batch])
          << ToString(item);
    }
  }
}

TEST(KeySchedulerTest, TakesWhatTheSimulatorSays) {
  std::mt19937_64 random(1);
  KeyScheduler scheduler;
  int with_windows = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE(i);
    const Input input = RandomInput(i, random);
    ASSERT_TRUE(scheduler.SetTable(input.table, input.split, input.capacity));
    std::vector<int> windows;
    if (i % 3 == 0) {
      for (int s = 0; s < input.table.num_stages(); ++s) {
        windows.push_back(Below(random, input.table.micro_batches + 1));
      }
    }
    SchedulingKeys keys;
    keys.keys = input.keys;
    keys.patience_ns = i % 4 == 0 ? Below(random, 40) : 0;
    keys.windows = windows;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    // Windows of several stages can wait for each other.
    if (!makespan && !windows.empty()) continue;
    with_windows += !windows.empty();
    ASSERT_TRUE(makespan.has_value());
    ExpectEvaluatesTheSame(input, scheduler, *makespan);
  }
  EXPECT_GT(with_windows, 100);
}

TEST(KeySchedulerTest, StopsAtTheLimit) {
  std::mt19937_64 random(2);
  KeyScheduler scheduler;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Input input = RandomInput(i, random);
    ASSERT_TRUE(scheduler.SetTable(input.table, input.split, input.capacity));
    SchedulingKeys keys;
    keys.keys = input.keys;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    EXPECT_EQ(scheduler.Run(keys, *makespan + 1), makespan);
    EXPECT_EQ(scheduler.Run(keys, *makespan), std::nullopt);
  }
}

TEST(KeySchedulerTest, AnExactRunGivesTheOrderAgain) {
  std::mt19937_64 random(3);
  KeyScheduler scheduler;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Input input = RandomInput(i, random);
    ASSERT_TRUE(scheduler.SetTable(input.table, input.split, input.capacity));
    SchedulingKeys keys;
    keys.keys = input.keys;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    const Order order = scheduler.MakeOrder();
    std::vector<int64_t> order_keys;
    scheduler.GetOrderKeys(&order_keys);
    keys.keys = order_keys;
    keys.exact = true;
    EXPECT_EQ(scheduler.Run(keys, KeyScheduler::kNever), makespan);
    EXPECT_EQ(scheduler.MakeOrder(), order);
  }
}

// A simulated order delayed item by item: the starts that keep the makespan,
// relaxed until nothing moves. Messages do not queue.
std::vector<std::vector<Nanos>> LatestByRelaxing(const StageTable& table,
                                                 const Order& order,
                                                 Nanos makespan) {
  const WorkDag dag = BuildWorkDag(table);
  const std::vector<int32_t> positions = PositionsOf(table, order);
  std::vector<std::vector<Nanos>> latest;
  for (const auto& program : order.programs) {
    latest.emplace_back(program.size(), makespan);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t d = 0; d < order.programs.size(); ++d) {
      for (size_t i = 0; i < order.programs[d].size(); ++i) {
        const WorkItem& item = order.programs[d][i];
        Nanos end = makespan;
        if (i + 1 < order.programs[d].size()) end = latest[d][i + 1];
        for (int a : dag.outputs[OpOf(item.kind, item.stage)]) {
          const WorkArc& arc = dag.arcs[a];
          const int32_t at =
              positions[arc.consumer * table.micro_batches + item.micro_batch];
          end = std::min(end, latest[arc.consumer_device][at] -
                                  arc.transfer_ns - arc.latency_ns);
        }
        const Nanos start =
            end - DurationOf(table.stages[item.stage], item.kind);
        moved |= start != latest[d][i];
        latest[d][i] = start;
      }
    }
  }
  return latest;
}

TEST(KeySchedulerTest, LatestStartsKeepTheMakespan) {
  std::mt19937_64 random(4);
  KeyScheduler scheduler;
  int64_t slack = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Input input = RandomInput(i, random);
    const StageTable& table = input.table;
    ASSERT_TRUE(scheduler.SetTable(table, input.split, input.capacity));
    SchedulingKeys keys;
    keys.keys = input.keys;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    const std::vector<Nanos> latest = scheduler.LatestStarts();
    const Order order = scheduler.MakeOrder();
    const auto expected = LatestByRelaxing(table, order, *makespan);
    for (int d = 0; d < table.num_devices; ++d) {
      for (size_t n = 0; n < order.programs[d].size(); ++n) {
        const WorkItem& item = order.programs[d][n];
        const int index = TaskOf(item.kind, item.stage) * table.micro_batches +
                          item.micro_batch;
        EXPECT_EQ(latest[index], expected[d][n]) << ToString(item);
        EXPECT_LE(scheduler.Starts()[index], latest[index]) << ToString(item);
        slack += latest[index] - scheduler.Starts()[index];
      }
    }
  }
  EXPECT_GT(slack, 0);
}

TEST(KeySchedulerTest, TheBankerNeverStops) {
  std::mt19937_64 random(5);
  KeyScheduler scheduler;
  int ran = 0, refused = 0, held_back = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE(i);
    Input input = RandomInput(i, random);
    LimitMemory(random, &input);
    if (!scheduler.SetTable(input.table, input.split, input.capacity)) {
      ++refused;
      continue;
    }
    SchedulingKeys keys;
    keys.keys = input.keys;
    keys.patience_ns = i % 4 == 0 ? Below(random, 40) : 0;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    ++ran;
    ExpectEvaluatesTheSame(input, scheduler, *makespan);
    const Order order = scheduler.MakeOrder();
    for (int d = 0; d < input.table.num_devices; ++d) {
      if (input.capacity[d] == 0) continue;
      EXPECT_LE(PeakMemory(input.table, order, d).bytes, input.capacity[d]);
    }
    KeyScheduler unlimited;
    unlimited.SetTable(input.table, input.split,
                       std::vector<Bytes>(input.capacity.size(), 0));
    unlimited.Run(keys, KeyScheduler::kNever);
    held_back += !(unlimited.MakeOrder() == order);
  }
  EXPECT_GT(ran, 300);
  EXPECT_GT(refused, 0);
  EXPECT_GT(held_back, 100);
}

TEST(KeySchedulerTest, IdleAndBusyTimeAddUp) {
  std::mt19937_64 random(6);
  KeyScheduler scheduler;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Input input = RandomInput(i, random);
    ASSERT_TRUE(scheduler.SetTable(input.table, input.split, input.capacity));
    SchedulingKeys keys;
    keys.keys = input.keys;
    const auto makespan = scheduler.Run(keys, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    Nanos busy = 0;
    for (const auto& program : scheduler.MakeOrder().programs) {
      for (const WorkItem& item : program) {
        busy += DurationOf(input.table.stages[item.stage], item.kind);
      }
    }
    const IdleTime idle = scheduler.MeasureIdleTime();
    EXPECT_GE(std::min({idle.imbalance_ns, idle.ends_ns, idle.inner_ns}), 0);
    EXPECT_EQ(busy + idle.imbalance_ns + idle.ends_ns + idle.inner_ns,
              input.table.num_devices * *makespan);
  }
}

}  // namespace
}  // namespace octopipe
