#include "compiler/simulator/critical_path.h"

#include <algorithm>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using Cause = CriticalItem::Cause;

TEST(CriticalPath, RunsFromZeroToTheMakespanWithoutGapButForTransfers) {
  std::mt19937_64 random(1);
  int transfers = 0;
  for (int i = 0; i < 2000; ++i) {
    const StageTable table = RandomTable({}, random);
    const Order order = RandomOrder(table, random);
    const auto timeline = EvaluateOrder(table, order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    const std::vector<CriticalItem> path =
        CriticalPath(table, order, *timeline);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.front().start_ns, 0);
    EXPECT_EQ(path.front().cause, Cause::kStart);
    EXPECT_EQ(path.back().start_ns + path.back().duration_ns,
              timeline->makespan_ns);
    for (size_t p = 0; p < path.size(); ++p) {
      const CriticalItem& item = path[p];
      EXPECT_EQ(item.item, order.programs[item.device][item.position]);
      EXPECT_EQ(item.start_ns, timeline->start_ns[item.device][item.position]);
      if (p == 0) continue;
      const CriticalItem& before = path[p - 1];
      const Nanos gap = item.start_ns - before.start_ns - before.duration_ns;
      switch (item.cause) {
        case Cause::kDevice:
          EXPECT_EQ(gap, 0);
          EXPECT_EQ(item.device, before.device);
          EXPECT_EQ(item.position, before.position + 1);
          break;
        case Cause::kData:
          EXPECT_EQ(gap, 0);
          EXPECT_EQ(item.item.micro_batch, before.item.micro_batch);
          break;
        case Cause::kTransfer:
          EXPECT_GT(gap, 0);
          EXPECT_NE(item.device, before.device);
          ++transfers;
          break;
        case Cause::kStart:
          ADD_FAILURE() << "item " << p << " of the path has no cause";
      }
    }
  }
  EXPECT_GT(transfers, 500);
}

// To slow an item of the path by n delays the makespan by at least n.
TEST(CriticalPath, EveryItemOnItCounts) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    StageTable table = RandomTable({4, 3, 1, false}, random);
    const Order order = RandomOrder(table, random);
    const auto timeline = EvaluateOrder(table, order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    for (const CriticalItem& item : CriticalPath(table, order, *timeline)) {
      StageTable slower = table;
      StageCost& stage = slower.stages[item.item.stage];
      for (Nanos* ns : {&stage.f_ns, &stage.b_ns, &stage.w_ns, &stage.bw_ns}) {
        if (ns == (item.item.kind == WorkKind::kForward    ? &stage.f_ns
                   : item.item.kind == WorkKind::kBackward ? &stage.bw_ns
                   : item.item.kind == WorkKind::kInputGradient
                       ? &stage.b_ns
                       : &stage.w_ns)) {
          *ns += 17;
        }
      }
      EXPECT_GE(EvaluateOrder(slower, order)->makespan_ns,
                timeline->makespan_ns + 17);
    }
  }
}

// The second message waits behind the first, so the path starts with F0.0,
// whose message occupied the channel, not with F0.1.
TEST(CriticalPath, FollowsTheQueueOfAChannelToItsHead) {
  StageTable table;
  table.num_devices = 2;
  table.num_channels = 1;
  table.micro_batches = 2;
  table.stages.resize(2);
  table.stages[1].device = 1;
  table.stages[0].f_ns = table.stages[1].f_ns = 1;
  StageEdge edge;
  edge.to = 1;
  edge.activation_channel = 0;
  edge.activation_transfer_ns = 10;
  edge.activation_latency_ns = 3;
  table.edges = {edge};
  table.out_edges = {{0}, {}};
  table.in_edges = {{}, {0}};
  table.static_bytes = table.memory_bytes = {0, 0};
  Order order;
  order.programs = {{Forward(0, 0), Forward(0, 1)},
                    {Forward(1, 0), Forward(1, 1)}};
  const auto timeline = EvaluateOrder(table, order);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const std::vector<CriticalItem> path = CriticalPath(table, order, *timeline);
  ASSERT_EQ(path.size(), 2);
  EXPECT_EQ(path[0].item, Forward(0, 0));
  EXPECT_EQ(path[1].item, Forward(1, 1));
  EXPECT_EQ(path[1].cause, Cause::kTransfer);
  EXPECT_EQ(path[1].start_ns, 24);
}

}  // namespace
}  // namespace octopipe
