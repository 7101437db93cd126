#include "compiler/schedule/stage_table.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Layers 0 → 1 → … on `devices` devices without links.
Problem Chain(int layers, int devices) {
  Problem problem;
  problem.devices.resize(devices);
  for (int l = 0; l < layers; ++l) {
    Layer layer;
    layer.name = std::to_string(l);
    if (l > 0) layer.inputs = {l - 1};
    problem.layers.push_back(layer);
  }
  return problem;
}

TEST(TimesOn, SpeedRoundsUp) {
  LayerCost cost;
  cost.times = {1000, 1001, 0};
  EXPECT_EQ(TimesOn(cost, {"", "", 0, 1000}), (LayerTimes{1000, 1001, 0}));
  EXPECT_EQ(TimesOn(cost, {"", "", 0, 2000}), (LayerTimes{500, 501, 0}));
  EXPECT_EQ(TimesOn(cost, {"", "", 0, 3000}), (LayerTimes{334, 334, 0}));
  EXPECT_EQ(TimesOn(cost, {"", "", 0, 1}), (LayerTimes{1000000, 1001000, 0}));
}

TEST(TimesOn, LargeValuesAndSpeedsAreExact) {
  LayerCost cost;
  cost.times = {int64_t{1} << 60, (int64_t{1} << 60) - 1, 1};
  EXPECT_EQ(TimesOn(cost, {"", "", 0, int64_t{1} << 61}),
            (LayerTimes{500, 500, 1}));
  EXPECT_EQ(TimesOn(cost, {"", "", 0, 2000}),
            (LayerTimes{int64_t{1} << 59, int64_t{1} << 59, 1}));
}

TEST(TimesOn, MeasuredTimesReplaceTimesAndSpeed) {
  LayerCost cost;
  cost.times = {10, 20, 30};
  cost.times_on = {{"a", {1, 2, 3}}, {"b", {4, 5, 6}}};
  EXPECT_EQ(TimesOn(cost, {"", "b", 0, 500}), (LayerTimes{4, 5, 6}));
  EXPECT_EQ(TimesOn(cost, {"", "c", 0, 500}), (LayerTimes{20, 40, 60}));
}

TEST(BuildStageTable, SumsTheLayersOfAStage) {
  Problem problem = Chain(3, 2);
  problem.devices[1].speed_permille = 500;
  problem.devices[1].memory_bytes = 77;
  problem.launch_overhead_ns = 5;
  problem.micro_batches = 9;
  for (int l = 0; l < 3; ++l) {
    LayerCost& cost = problem.layers[l].cost;
    cost.times = {10 + l, 20 + l, 30 + l};
    cost.memory.saved_b_bytes = 100 + l;
    cost.memory.saved_w_bytes = 200 + l;
    cost.memory.f_workspace_bytes = l == 1 ? 50 : l;
    cost.memory.b_workspace_bytes = l == 2 ? 60 : l;
    cost.memory.param_bytes = 1000;
    cost.memory.grad_bytes = 100;
    cost.memory.optimizer_bytes = 10;
    cost.splittable = l != 1;
  }
  const StageTable table = BuildStageTable(problem, {{0, 1, 3}}, {{0, 1}});
  EXPECT_EQ(table.num_devices, 2);
  EXPECT_EQ(table.num_stages(), 2);
  EXPECT_EQ(table.micro_batches, 9);
  const StageCost& first = table.stages[0];
  EXPECT_EQ(first.device, 0);
  EXPECT_EQ(first.f_ns, 15);
  EXPECT_EQ(first.b_ns, 25);
  EXPECT_EQ(first.w_ns, 35);
  EXPECT_EQ(first.bw_ns, 55);  // one launch
  EXPECT_TRUE(first.splittable);
  const StageCost& second = table.stages[1];
  EXPECT_EQ(second.device, 1);
  EXPECT_EQ(second.f_ns, 2 * (11 + 12) + 5);
  EXPECT_EQ(second.b_ns, 2 * (21 + 22) + 5);
  EXPECT_EQ(second.w_ns, 2 * (31 + 32) + 5);
  EXPECT_EQ(second.bw_ns, 2 * (21 + 22 + 31 + 32) + 5);
  EXPECT_EQ(second.saved_b_bytes, 203);
  EXPECT_EQ(second.saved_w_bytes, 403);
  EXPECT_EQ(second.saved_bytes(), 606);
  EXPECT_EQ(second.f_workspace_bytes, 50);
  EXPECT_EQ(second.b_workspace_bytes, 60);
  EXPECT_FALSE(second.splittable);
  EXPECT_EQ(table.static_bytes, (std::vector<Bytes>{1110, 2220}));
  EXPECT_EQ(table.memory_bytes, (std::vector<Bytes>{0, 77}));
}

TEST(BuildStageTable, ADeviceHoldsSharedParametersOnce) {
  Problem problem = Chain(4, 2);
  for (Layer& layer : problem.layers) layer.cost.memory.param_bytes = 10;
  problem.layers[0].shares = problem.layers[3].shares = "embedding";
  const Partition partition = {{0, 1, 2, 3, 4}};
  EXPECT_EQ(BuildStageTable(problem, partition, {{0, 1, 1, 0}}).static_bytes,
            (std::vector<Bytes>{10, 20}));
  EXPECT_EQ(BuildStageTable(problem, partition, {{0, 0, 1, 1}}).static_bytes,
            (std::vector<Bytes>{20, 20}));
  // Groups of other names are other parameters.
  problem.layers[3].shares = "head";
  EXPECT_EQ(BuildStageTable(problem, partition, {{0, 1, 1, 0}}).static_bytes,
            (std::vector<Bytes>{20, 20}));
}

TEST(BuildStageTable, RoutesEdgesOverTheLinksOfTheirDevices) {
  Problem problem = Chain(3, 2);
  problem.layers[0].output_bytes = 1001;
  problem.layers[0].output_grad_bytes = 500;
  problem.links = {{1, 0, 7, 0, ""}, {0, 1, 3, 2000, ""}};
  const StageTable table =
      BuildStageTable(problem, {{0, 1, 2, 3}}, {{0, 1, 1}});
  EXPECT_EQ(table.num_channels, 2);
  ASSERT_EQ(table.edges.size(), 2);
  const StageEdge& across = table.edges[0];
  EXPECT_EQ(across.activation_channel, 1);
  EXPECT_EQ(across.activation_latency_ns, 3);
  EXPECT_EQ(across.activation_transfer_ns, 501);  // 500.5
  EXPECT_EQ(across.gradient_channel, 0);
  EXPECT_EQ(across.gradient_latency_ns, 7);
  EXPECT_EQ(across.gradient_transfer_ns, 0);  // size costs nothing there
  const StageEdge& inside = table.edges[1];
  EXPECT_EQ(inside.activation_channel, -1);
  EXPECT_EQ(inside.gradient_channel, -1);
  EXPECT_EQ(inside.activation_transfer_ns, 0);
}

TEST(BuildStageTable, LargeMessagesAndBandwidthsAreExact) {
  Problem problem = Chain(2, 2);
  problem.layers[0].output_bytes = (int64_t{1} << 60) + 1;
  problem.links = {{0, 1, 0, int64_t{1} << 60, ""}};
  const StageTable table = BuildStageTable(problem, {{0, 1, 2}}, {{0, 1}});
  EXPECT_EQ(table.edges[0].activation_transfer_ns, 1001);
}

// Layer 0 feeds 1, 2 and 3; 2 and 3 are one stage, to which it is sent once.
TEST(BuildStageTable, ATensorIsSentToAStageOnce) {
  Problem problem = Chain(4, 1);
  problem.layers[2].inputs = {0, 1};
  problem.layers[3].inputs = {0, 2};
  problem.layers[0].output_bytes = 5;
  problem.layers[0].output_grad_bytes = 6;
  problem.layers[1].output_bytes = 70;
  problem.layers[1].output_grad_bytes = 80;
  const StageTable table =
      BuildStageTable(problem, {{0, 1, 2, 4}}, {{0, 0, 0}});
  ASSERT_EQ(table.edges.size(), 3);
  EXPECT_EQ(table.edges[0].from, 0);
  EXPECT_EQ(table.edges[0].to, 1);
  EXPECT_EQ(table.edges[1].from, 0);
  EXPECT_EQ(table.edges[1].to, 2);
  EXPECT_EQ(table.edges[1].activation_bytes, 5);
  EXPECT_EQ(table.edges[1].gradient_bytes, 6);
  EXPECT_EQ(table.edges[2].activation_bytes, 70);
  EXPECT_EQ(table.out_edges[0], (std::vector<int>{0, 1}));
  EXPECT_EQ(table.in_edges[2], (std::vector<int>{1, 2}));
  EXPECT_FALSE(table.is_chain);

  const StageTable merged = BuildStageTable(problem, {{0, 2, 4}}, {{0, 0}});
  ASSERT_EQ(merged.edges.size(), 1);
  EXPECT_EQ(merged.edges[0].activation_bytes, 75);
  EXPECT_EQ(merged.edges[0].gradient_bytes, 86);
  EXPECT_TRUE(merged.is_chain);
}

TEST(BuildStageTable, AnEdgeNeedsAGradientIfOneOfItsTensorsDoes) {
  Problem problem = Chain(3, 2);
  problem.layers[2].inputs = {0, 1};
  problem.layers[0].needs_grad = false;
  problem.layers[0].output_grad_bytes = 4;
  problem.layers[1].output_grad_bytes = 8;
  problem.links = {{0, 1, 1, 0, ""}, {1, 0, 1, 0, ""}};
  const StageTable both = BuildStageTable(problem, {{0, 2, 3}}, {{0, 1}});
  ASSERT_EQ(both.edges.size(), 1);
  EXPECT_TRUE(both.edges[0].needs_grad);
  EXPECT_EQ(both.edges[0].gradient_bytes, 8);
  EXPECT_TRUE(both.is_chain);

  problem.layers[1].needs_grad = false;
  const StageTable none = BuildStageTable(problem, {{0, 2, 3}}, {{0, 1}});
  EXPECT_FALSE(none.edges[0].needs_grad);
  EXPECT_EQ(none.edges[0].gradient_bytes, 0);
  EXPECT_EQ(none.edges[0].gradient_channel, -1);
  EXPECT_EQ(none.edges[0].activation_channel, 0);
  EXPECT_FALSE(none.is_chain);
}

TEST(BuildStageTable, OneStageIsAChain) {
  const StageTable table = BuildStageTable(Chain(2, 1), {{0, 2}}, {{0}});
  EXPECT_TRUE(table.is_chain);
  EXPECT_TRUE(table.edges.empty());
}

// Two sources: as many edges as a chain has, but not one.
TEST(BuildStageTable, ATreeIsNoChain) {
  Problem problem = Chain(3, 1);
  problem.layers[1].inputs = {};
  problem.layers[2].inputs = {0, 1};
  EXPECT_FALSE(BuildStageTable(problem, {{0, 1, 2, 3}}, {{0, 0, 0}}).is_chain);
}

}  // namespace
}  // namespace octopipe
