#include "compiler/simulator/timeline_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/list_scheduler.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Stages of f = b = w on device stage mod `devices`.
StageTable Chain(int stages, int devices, int micro_batches, Nanos unit) {
  StageTable table;
  table.num_devices = devices;
  table.micro_batches = micro_batches;
  table.static_bytes.assign(devices, 0);
  table.memory_bytes.assign(devices, 0);
  table.in_edges.resize(stages);
  table.out_edges.resize(stages);
  for (int s = 0; s < stages; ++s) {
    StageCost stage;
    stage.device = s % devices;
    stage.f_ns = stage.b_ns = stage.w_ns = unit;
    stage.bw_ns = 2 * unit;
    stage.saved_b_bytes = 1;
    table.stages.push_back(stage);
    if (s == 0) continue;
    StageEdge edge;
    edge.from = s - 1;
    edge.to = s;
    table.edges.push_back(edge);
    table.in_edges[s].push_back(s - 1);
    table.out_edges[s - 1].push_back(s - 1);
  }
  return table;
}

std::string Render(const StageTable& table, const Policy& policy, int width) {
  const Order order = *ListSchedule(table, policy);
  return "\n" +
         RenderTimeline(table, order, *EvaluateOrder(table, order), width);
}

TEST(RenderTimeline, TheExampleOfTheHeader) {
  Policy policy;
  policy.split = BackwardSplit::kNever;
  EXPECT_EQ(Render(Chain(2, 2, 2, 1000000), policy, 60), R"(
          0 ms      2        4         6        8
          +---------+--------+---------+--------+----
device 0 |F0---F1---.........BW0=======....BW1=======|  66 %
device 1 |.....F0---BW0======F1---BW1======..........|  66 %
F forward   BW whole backward   . idle
)");
}

TEST(RenderTimeline, OneForwardOneBackward) {
  StageTable table = Chain(4, 4, 6, 1000000);
  table.memory_bytes = {4, 3, 2, 1};
  Policy policy;
  policy.split = BackwardSplit::kNever;
  EXPECT_EQ(Render(table, policy, 100), R"(
          0 ms           5               10             15             20              25
          +--------------+---------------+--------------+--------------+---------------+-----
device 0 |F0-F1-F2-F3-...................BW0===F4-BW1===F5-BW2===...BW3====...BW4===...BW5===|  66 %
device 1 |...F0-F1-F2-.............BW0===F3-BW1===F4-BW2===F5-BW3===...BW4====...BW5===......|  66 %
device 2 |......F0-F1-......BW0====F2-BW1===F3-BW2===F4-BW3===F5-BW4===....BW5===............|  66 %
device 3 |.........F0-BW0===F1--BW1===F2-BW2===F3-BW3===F4-BW4===F5-BW5====..................|  66 %
F forward   BW whole backward   . idle
)");
}

TEST(RenderTimeline, SeveralStagesOnADevice) {
  EXPECT_EQ(Render(Chain(4, 2, 3, 500), Policy(), 120), R"(
          0 us       1          2          3         4          5          6          7          8          9
          +----------+----------+----------+---------+----------+----------+----------+----------+----------+----
device 0 |F0.0-F0.1--F0.2-F2.0--F2.1-F2.2--B2.0=W2.0~B2.1==BW0.0======BW0.1=====B2.2==W2.1~BW0.2======W2.2~~.....|  94 %
device 1 |.....F1.0--F1.1-F1.2--F3.0-B3.0==F3.1-B3.1=B1.0==B1.1=F3.2--B3.2=W1.0~W3.0~~B1.2=W1.1~~W3.1~W1.2~~W3.2~|  94 %
F forward   B input gradient   W weight gradient   BW whole backward   . idle
)");
}

TEST(RenderTimeline, NarrowItemsKeepTheirLetters) {
  EXPECT_EQ(Render(Chain(2, 2, 16, 3), Policy(), 60), R"(
          0 ns          50             100
          +-------------+--------------+-------------
device 0 |FFFBBWBWFFBWBWBFFFBWBWBFFFBWBBWFFFBBWBWF.BW|  96 %
device 1 |.FBBFBWWWBFBFBWWFBFBFBWWFBFBBWWWFBBFBWWWBW.|  96 %
F forward   B input gradient   W weight gradient
BW whole backward   . idle
)");
}

TEST(RenderTimeline, AnEmptyTimelineIsIdle) {
  StageTable table = Chain(1, 1, 1, 0);
  Order order;
  order.programs = {{Forward(0, 0)}};
  EXPECT_EQ(
      "\n" + RenderTimeline(table, order, *EvaluateOrder(table, order), 0),
      R"(
          0 ns
          +------------------------------------------
device 0 |...........................................|   0 %
F forward   . idle
)");
}

TEST(RenderTimeline, ADeviceWithoutWorkHasNoRow) {
  Policy policy;
  policy.split = BackwardSplit::kNever;
  StageTable table = Chain(2, 2, 2, 1000000);
  table.num_devices = 3;
  table.static_bytes.push_back(0);
  table.memory_bytes.push_back(0);
  EXPECT_EQ(Render(table, policy, 60),
            Render(Chain(2, 2, 2, 1000000), policy, 60));
}

TEST(RenderTimeline, KeepsToItsWidth) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const StageTable table = RandomTable({}, random);
    const Order order = RandomOrder(table, random);
    const int width = 20 + Below(random, 150);
    const std::string text =
        RenderTimeline(table, order, *EvaluateOrder(table, order), width);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      EXPECT_LE(end - at, std::max(60, width)) << text;
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace octopipe
