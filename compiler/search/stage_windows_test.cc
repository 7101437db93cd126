#include "compiler/search/stage_windows.h"

#include <algorithm>
#include <random>
#include <vector>

#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/random_layout.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Of no stage more micro-batches are between F and the end of their backward
// than its window holds; windows that fit need no banker to fit.
TEST(KeySchedulerTest, WindowsBoundWhatIsInFlight) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RandomLayout instance = MakeRandomLayout(seed, random);
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
        scheduler.Run({instance.keys, 0, windows, false}, KeyScheduler::kNever);
    ASSERT_TRUE(makespan.has_value());
    const Order order = scheduler.MakeOrder();
    const auto timeline = EvaluateOrder(instance.table, order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    EXPECT_EQ(timeline->makespan_ns, *makespan);

    for (size_t d = 0; d < instance.problem.devices.size(); ++d) {
      instance.problem.devices[d].memory_bytes = memory[d];
    }
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

}  // namespace
}  // namespace octopipe
