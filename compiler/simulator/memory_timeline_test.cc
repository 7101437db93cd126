#include "compiler/simulator/memory_timeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// One stage on one device; 100 static bytes.
StageTable OneStage(int micro_batches) {
  StageTable table;
  table.num_devices = 1;
  table.micro_batches = micro_batches;
  StageCost stage;
  stage.f_ns = 10;
  stage.b_ns = 20;
  stage.w_ns = 5;
  stage.bw_ns = 25;
  stage.saved_b_bytes = 8;
  stage.saved_w_bytes = 4;
  stage.f_workspace_bytes = 1;
  stage.b_workspace_bytes = 2;
  table.stages = {stage};
  table.in_edges = table.out_edges = {{}};
  table.static_bytes = {100};
  table.memory_bytes = {0};
  return table;
}

std::vector<std::pair<Nanos, Bytes>> Curve(const StageTable& table,
                                           const Order& order) {
  std::vector<std::pair<Nanos, Bytes>> curve;
  for (const MemoryPoint& point :
       MemoryCurve(table, order, *EvaluateOrder(table, order), 0)) {
    curve.push_back({point.time_ns, point.bytes});
  }
  return curve;
}

TEST(MemoryCurve, SplitBackwardFreesInTwoSteps) {
  Order order;
  order.programs = {{Forward(0, 0), InputGradient(0, 0), WeightGradient(0, 0)}};
  EXPECT_EQ(Curve(OneStage(1), order),
            (std::vector<std::pair<Nanos, Bytes>>{{0, 100},
                                                  {0, 113},
                                                  {10, 112},
                                                  {10, 114},
                                                  {30, 104},
                                                  {30, 106},
                                                  {35, 100}}));
}

TEST(MemoryCurve, WholeBackwardFreesBoth) {
  Order order;
  order.programs = {{Forward(0, 0), Backward(0, 0)}};
  EXPECT_EQ(Curve(OneStage(1), order),
            (std::vector<std::pair<Nanos, Bytes>>{
                {0, 100}, {0, 113}, {10, 112}, {10, 114}, {35, 100}}));
}

TEST(PeakMemory, IsWhereMostMicroBatchesAreInFlight) {
  Order order;
  order.programs = {{Forward(0, 0), Forward(0, 1), Backward(0, 0),
                     Forward(0, 2), Backward(0, 1), Backward(0, 2)}};
  const MemoryPeak peak = PeakMemory(OneStage(3), order, 0);
  EXPECT_EQ(peak.bytes, 100 + 12 + 12 + 2);
  EXPECT_EQ(peak.item, 2);  // reached again by B0.1
}

TEST(PeakMemory, WithoutItemsIsStatic) {
  Order order;
  order.programs = {{}};
  const MemoryPeak peak = PeakMemory(OneStage(1), order, 0);
  EXPECT_EQ(peak.bytes, 100);
  EXPECT_EQ(peak.item, -1);
}

TEST(PeakMemory, IsTheTopOfTheCurveAndAllIsFreedAtTheEnd) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const StageTable table = RandomTable({}, random);
    const Order order = RandomOrder(table, random);
    const auto timeline = EvaluateOrder(table, order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    for (int d = 0; d < table.num_devices; ++d) {
      const std::vector<MemoryPoint> curve =
          MemoryCurve(table, order, *timeline, d);
      Bytes top = 0;
      for (const MemoryPoint& point : curve) top = std::max(top, point.bytes);
      EXPECT_EQ(PeakMemory(table, order, d).bytes, top);
      EXPECT_EQ(curve.back().bytes, table.static_bytes[d]);
    }
  }
}

}  // namespace
}  // namespace octopipe
