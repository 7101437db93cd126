#include "compiler/search/key_scheduler.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/gap_scheduler.h"
#include "compiler/search/stage_windows.h"
#include "compiler/search/task_graph.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/work_dag.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// A random problem with a layout, and keys at random.
struct Instance {
  Problem problem;
  Partition partition;
  Placement placement;
  StageTable table;
  std::vector<uint8_t> split;
  std::vector<int64_t> keys;
};

Instance RandomInstance(uint32_t seed, std::mt19937_64& random) {
  Instance instance;
  instance.problem = RandomProblem({}, random);
  const int layers = static_cast<int>(instance.problem.layers.size());
  const int stages = static_cast<int>(Uniform(random, 1, layers));
  instance.partition = RandomPartition(instance.problem, stages, random);
  instance.placement = RandomPlacement(
      PlacementShape::kAny, stages,
      static_cast<int>(instance.problem.devices.size()), random);
  instance.table =
      BuildStageTable(instance.problem, instance.partition, instance.placement);
  for (const StageCost& stage : instance.table.stages) {
    instance.split.push_back(stage.splittable && seed % 3 != 0);
  }
  const int64_t items = 3 * stages * instance.problem.micro_batches;
  for (int64_t i = 0; i < items; ++i) {
    instance.keys.push_back(Uniform(random, 0, 100000));
  }
  return instance;
}

void ExpectStartsOf(const Instance& instance, const KeyScheduler& scheduler,
                    Nanos makespan) {
  const Order order = scheduler.MakeOrder();
  const auto timeline = EvaluateOrder(instance.table, order);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_EQ(timeline->makespan_ns, makespan);
  for (size_t d = 0; d < order.programs.size(); ++d) {
    for (size_t i = 0; i < order.programs[d].size(); ++i) {
      const WorkItem& item = order.programs[d][i];
      EXPECT_EQ(scheduler.Starts()[TaskOf(item.kind, item.stage) *
                                       instance.table.micro_batches +
                                   item.micro_batch],
                timeline->start_ns[d][i]);
    }
  }
}

TEST(KeySchedulerTest, AgreesWithTheSimulatorAndKeepsAnOrder) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Instance instance = RandomInstance(seed, random);
    KeyScheduler scheduler;
    ASSERT_TRUE(scheduler.SetTable(instance.table, instance.split,
                                   instance.table.memory_bytes));
    const Nanos patience = Uniform(random, 0, 1) * 1000;
    const auto makespan =
        scheduler.Run({instance.keys, patience}, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    ExpectStartsOf(instance, scheduler, *makespan);
    EXPECT_FALSE(
        scheduler.Run({instance.keys, patience}, *makespan).has_value());

    // The same order by its own keys.
    ASSERT_EQ(scheduler.Run({instance.keys, patience}, KeyScheduler::kNever),
              makespan);
    const Order order = scheduler.MakeOrder();
    std::vector<int64_t> keys;
    scheduler.GetOrderKeys(&keys);
    ASSERT_EQ(scheduler.Run({keys, 0, {}, true}, KeyScheduler::kNever),
              makespan);
    EXPECT_EQ(scheduler.MakeOrder().programs, order.programs);
  }
}

// Of no stage more micro-batches are between F and the end of their backward
// than its window holds; windows that fit need no banker to fit.
TEST(KeySchedulerTest, WindowsBoundWhatIsInFlight) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Instance instance = RandomInstance(seed, random);
    KeyScheduler scheduler;
    ASSERT_TRUE(scheduler.SetTable(instance.table, instance.split,
                                   instance.table.memory_bytes));
    // Room for what two micro-batches save.
    std::vector<Bytes>& memory = instance.table.memory_bytes;
    memory = instance.table.static_bytes;
    for (int d = 0; d < instance.table.num_devices; ++d) {
      Bytes workspace = 1;
      for (const StageCost& stage : instance.table.stages) {
        if (stage.device != d) continue;
        memory[d] += 2 * stage.saved_bytes();
        workspace = std::max(
            {workspace, stage.f_workspace_bytes, stage.b_workspace_bytes});
      }
      memory[d] += workspace;
    }
    const std::vector<int> windows =
        FlowWindows(instance.table, scheduler.Tails(), memory,
                    Uniform(random, 1000, 4000), seed % 2 == 0);
    ASSERT_TRUE(scheduler.SetTable(instance.table, instance.split, memory));
    const auto makespan =
        scheduler.Run({instance.keys, 0, windows}, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    ExpectStartsOf(instance, scheduler, *makespan);

    for (size_t d = 0; d < instance.problem.devices.size(); ++d) {
      instance.problem.devices[d].memory_bytes = memory[d];
    }
    const Order order = scheduler.MakeOrder();
    const auto findings = VerifyPlan(
        instance.problem, {instance.partition, instance.placement, order});
    EXPECT_TRUE(findings.empty()) << findings.front().message;
    for (const auto& program : order.programs) {
      std::vector<int> in_flight(instance.table.num_stages(), 0);
      for (const WorkItem& item : program) {
        int& count = in_flight[item.stage];
        count += item.kind == WorkKind::kForward;
        EXPECT_LE(count, windows[item.stage]);
        count -= item.kind == WorkKind::kWeightGradient ||
                 item.kind == WorkKind::kBackward;
      }
    }
  }
}

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
    Instance instance = RandomInstance(seed, random);
    instance.problem.links.clear();
    instance.table = BuildStageTable(instance.problem, instance.partition,
                                     instance.placement);
    KeyScheduler scheduler;
    ASSERT_TRUE(scheduler.SetTable(instance.table, instance.split,
                                   instance.table.memory_bytes));
    const auto makespan =
        scheduler.Run({instance.keys, 0}, KeyScheduler::kNever);
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
