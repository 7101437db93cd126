#include "compiler/search/search_space.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/space_layouts.h"
#include "compiler/search/space_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

Problem Chain(int layers, int devices) {
  Problem problem;
  for (int l = 0; l < layers; ++l) {
    Layer layer;
    layer.name = absl::StrCat("layer.", l);
    layer.cost.times = {10 + 7 * (l % 3), 20, 5};
    if (l > 0) layer.inputs = {l - 1};
    problem.layers.push_back(layer);
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "any"});
  }
  problem.micro_batches = 4;
  return problem;
}

std::string Refusal(const Problem& problem, const SearchSpace& space) {
  return std::string(CheckSearchSpace(problem, space).message());
}

// Calls `visit` with every partition of the model into `stages`.
void EachPartition(int layers, int stages,
                   const std::function<void(const Partition&)>& visit) {
  for (int bits = 0; bits < 1 << (layers - 1); ++bits) {
    Partition partition;
    for (int l = 1; l < layers; ++l) {
      if (bits >> (l - 1) & 1) partition.begin.push_back(l);
    }
    partition.begin.push_back(layers);
    if (partition.stages() == stages) visit(partition);
  }
}

TEST(CheckSearchSpaceTest, NamesContradictions) {
  const Problem problem = Chain(6, 2);
  SearchSpace space;
  EXPECT_TRUE(CheckSearchSpace(problem, space).ok());
  space.stages = {{1, 3}, {3, 4}};
  EXPECT_EQ(Refusal(problem, space),
            "layers 'layer.1' to 'layer.3' and layers 'layer.3' to 'layer.4' "
            "are each to form a stage, but overlap");
  space.stages = {{4, 2}};
  EXPECT_EQ(Refusal(problem, space),
            "layers 'layer.4' to 'layer.2' run backwards: layer 4 comes after "
            "layer 2");
  space.stages = {{4, 6}};
  EXPECT_EQ(Refusal(problem, space), "there is no layer 6; the model has 6");
  space.stages = {{1, 3}};
  space.devices = {{{0, 1}, 0}, {{3, 3}, 1}};
  EXPECT_EQ(Refusal(problem, space),
            "layers 'layer.1' to 'layer.3' are to form a stage, but layer "
            "'layer.1' is pinned to 'gpu0' and layer 'layer.3' to 'gpu1'");
  space.stages = {};
  space.devices = {{{0, 2}, 0}, {{2, 3}, 1}};
  EXPECT_EQ(Refusal(problem, space),
            "layer 'layer.2' is pinned to 'gpu0' and to 'gpu1'");
  space.devices = {{{0, 2}, 2}};
  EXPECT_EQ(Refusal(problem, space), "there is no device 2; the cluster has 2");
  space.devices = {};
  space.stages = {{1, 3}};
  space.partition = Partition{{0, 2, 6}};
  EXPECT_EQ(Refusal(problem, space),
            "layers 'layer.1' to 'layer.3' are to form a stage, but the cut "
            "that is given has no such stage");
  space.stages = {};
  space.partition = Partition{{0, 2, 3, 6}};
  EXPECT_TRUE(CheckSearchSpace(problem, space).ok());
  space.target = RuntimeTarget::kMegatron;
  EXPECT_THAT(Refusal(problem, space),
              HasSubstr("the cut that is given has 3 stages for 2 devices"));
  EXPECT_EQ(
      Refusal(Chain(3, 4), {std::nullopt, {}, {}, RuntimeTarget::kDeepspeed}),
      "target deepspeed runs a stage on every device, but the model has "
      "3 layers for 4 devices");
}

TEST(SpaceFilterTest, SaysWhichRuleIsBroken) {
  const Problem problem = Chain(6, 2);
  const Plan plan{{{0, 2, 4, 6}}, {{0, 1, 0}}, {}};
  auto broken = [&](SearchSpace space) {
    return std::string(
        SpaceFilter(problem, std::move(space)).Check(plan).message());
  };
  EXPECT_EQ(broken({}), "");
  EXPECT_EQ(broken({Partition{{0, 2, 4, 6}}, {{2, 3}}, {{{0, 1}, 0}}}), "");
  EXPECT_EQ(broken({Partition{{0, 3, 6}}, {}, {}}),
            "the cut is another than the one that is given");
  EXPECT_EQ(broken({std::nullopt, {{2, 4}}, {}}),
            "layers 'layer.2' to 'layer.4' are to form a stage, but do not");
  EXPECT_EQ(broken({std::nullopt, {}, {{{1, 2}, 1}}}),
            "layer 'layer.1' is pinned to 'gpu1', but runs elsewhere");
  EXPECT_EQ(broken({std::nullopt, {}, {}, RuntimeTarget::kTorch}), "");
  EXPECT_THAT(broken({std::nullopt, {}, {}, RuntimeTarget::kTorchtitan}),
              HasSubstr("but the stages are placed otherwise"));
}

TEST(SpaceFilterTest, TargetsHoldWhatTheirRuntimesRead) {
  Problem problem = Chain(6, 3);
  problem.micro_batches = 6;
  struct Case {
    std::vector<int> device;
    std::vector<RuntimeTarget> holds;
  };
  using T = RuntimeTarget;
  const Case cases[] = {
      {{0, 1, 2}, {T::kTorch, T::kTorchtitan, T::kMegatron, T::kDeepspeed}},
      {{2, 0, 1}, {T::kTorch}},
      {{0, 1, 1}, {}},
      {{0, 1, 2, 0}, {T::kTorch}},
      {{0, 1, 2, 0, 1, 2}, {T::kTorch, T::kTorchtitan, T::kMegatron}},
      {{0, 1, 2, 2, 1, 0}, {T::kTorch, T::kTorchtitan}},
      {{0, 0, 1, 1, 2, 2}, {T::kTorch}},
  };
  for (const Case& each : cases) {
    const int stages = static_cast<int>(each.device.size());
    Partition partition;
    for (int s = 1; s < stages; ++s) partition.begin.push_back(s);
    partition.begin.push_back(6);
    for (const TargetRules& rules : RuntimeTargets()) {
      const bool holds = rules.target == T::kNative ||
                         std::find(each.holds.begin(), each.holds.end(),
                                   rules.target) != each.holds.end();
      const SpaceFilter filter(problem, {std::nullopt, {}, {}, rules.target});
      EXPECT_EQ(filter.Allows(partition, {each.device}), holds)
          << rules.name << " with " << testing::PrintToString(each.device);
    }
  }
}

TEST(SpaceFilterTest, ChainsPassTensorsToTheNextStageOnly) {
  Problem problem = Chain(4, 2);
  problem.layers[3].inputs = {0, 2};
  const SpaceFilter torch(problem,
                          {std::nullopt, {}, {}, RuntimeTarget::kTorch});
  EXPECT_TRUE(torch.Allows({{0, 2, 4}}, {{0, 1}}));
  EXPECT_FALSE(torch.Allows({{0, 1, 2, 4}}, {{0, 1, 0}}));
  EXPECT_EQ(torch.Check({{{0, 1, 2, 4}}, {{0, 1, 0}}, {}}).message(),
            "target torch passes tensors to the next stage only, but those "
            "from layer 'layer.0' to layer 'layer.3' skip a stage");
}

TEST(SpaceFilterTest, ChecksOrders) {
  const Problem problem = Chain(2, 2);
  Plan plan{{{0, 1, 2}},
            {{0, 1}},
            {{{Forward(0, 1), Forward(0, 0)},
              {Forward(1, 0), InputGradient(1, 0), WeightGradient(1, 0)}}}};
  auto broken = [&](RuntimeTarget target) {
    return std::string(SpaceFilter(problem, {std::nullopt, {}, {}, target})
                           .Check(plan)
                           .message());
  };
  EXPECT_EQ(broken(RuntimeTarget::kNative), "");
  EXPECT_EQ(broken(RuntimeTarget::kTorch),
            "target torch runs the forwards of a stage in turn, but F0.1 "
            "stands where F0.0 is due");
  std::swap(plan.order.programs[0][0], plan.order.programs[0][1]);
  EXPECT_EQ(broken(RuntimeTarget::kTorch), "");
  EXPECT_EQ(broken(RuntimeTarget::kMegatron),
            "target megatron keeps backwards whole, but the plan has W1.0");
}

// Against all cuts there are.
TEST(SpaceLayoutsTest, CutIsTheBestInTheSpace) {
  std::mt19937_64 random(7);
  auto below = [&](int bound) { return static_cast<int>(random() % bound); };
  int found = 0, none = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const int layers = 4 + below(5);
    Problem problem = Chain(layers, 1 + below(3));
    for (Layer& layer : problem.layers) layer.cost.times.f_ns = 1 + below(50);
    const int devices = static_cast<int>(problem.devices.size());
    SearchSpace space;
    if (below(2) == 0) {
      const int first = below(layers);
      space.stages = {{first, first + below(layers - first)}};
    }
    for (int n = below(3); n > 0; --n) {
      const int first = below(layers);
      space.devices.push_back(
          {{first, first + below(layers - first)}, below(devices)});
    }
    if (!CheckSearchSpace(problem, space).ok()) continue;
    const SpaceFilter filter(problem, space);
    const int stages = 1 + below(layers);
    const Placement placement =
        MakePlacement(PlacementPattern::kLoop, stages, devices);
    Nanos best = -1;
    auto longest = [&](const Partition& partition) {
      Nanos most = 0;
      for (int s = 0; s < stages; ++s) {
        Nanos load = 0;
        for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
          const LayerTimes& times = problem.layers[l].cost.times;
          load += times.f_ns + times.b_ns + times.w_ns;
        }
        most = std::max(most, load);
      }
      return most;
    };
    EachPartition(layers, stages, [&](const Partition& partition) {
      if (!filter.Allows(partition, placement)) return;
      const Nanos most = longest(partition);
      if (best < 0 || most < best) best = most;
    });
    const auto cut = CutInSpace(problem, filter, placement, false);
    ASSERT_EQ(cut.has_value(), best >= 0);
    ++(cut ? found : none);
    if (!cut) continue;
    EXPECT_TRUE(filter.Allows(*cut, placement));
    EXPECT_EQ(longest(*cut), best);
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(none, 20);
}

TEST(SpaceLayoutsTest, KeepsPinsOrSaysThatItCannot) {
  const Problem problem = Chain(8, 4);
  SearchSpace space;
  space.stages = {{2, 5}};
  space.devices = {{{0, 0}, 3}, {{1, 1}, 3}, {{6, 7}, 0}};
  const SpaceFilter filter(problem, space);
  const auto layouts = LayoutsInSpace(problem, filter, 64);
  ASSERT_TRUE(layouts.ok()) << layouts.status();
  ASSERT_FALSE(layouts->empty());
  for (const Layout& layout : *layouts) {
    EXPECT_TRUE(filter.Allows(layout.partition, layout.placement));
  }
  // A loop of four stages or eight has layer 0 on device 0.
  space.target = RuntimeTarget::kMegatron;
  EXPECT_EQ(LayoutsInSpace(problem, SpaceFilter(problem, space), 64)
                .status()
                .message(),
            "no cut and placement of up to 8 stages keep the pins and what "
            "target megatron holds: equally many stages a device in a loop, "
            "1F1B, or interleaved on more than 2 devices with a multiple of as "
            "many micro-batches, backwards whole");
}

TEST(SpaceFilterTest, MegatronInterleavesWholeGroupsOfMicroBatches) {
  SearchSpace space;
  space.target = RuntimeTarget::kMegatron;
  auto allows = [&](int devices, int micro_batches, int stages) {
    Problem problem = Chain(stages, devices);
    problem.micro_batches = micro_batches;
    Partition partition;
    Placement placement;
    for (int s = 0; s < stages; ++s) {
      partition.begin.push_back(s + 1);
      placement.device.push_back(s % devices);
    }
    return SpaceFilter(problem, space).Allows(partition, placement);
  };
  EXPECT_TRUE(allows(3, 6, 6));
  EXPECT_FALSE(allows(3, 7, 6));
  EXPECT_TRUE(allows(3, 7, 3));
  EXPECT_FALSE(allows(2, 6, 4));
  EXPECT_TRUE(allows(2, 6, 2));
}

TEST(SpaceLayoutsTest, TakesFewerStagesThanDevicesWhereItMust) {
  const Problem problem = Chain(8, 4);
  const SpaceFilter pair(problem, {std::nullopt, {{0, 5}}, {}});
  const auto few = LayoutsInSpace(problem, pair, 64);
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_LT(few->front().partition.stages(), 4);
  EXPECT_TRUE(pair.Allows(few->front().partition, few->front().placement));
  const SpaceFilter torch(problem,
                          {std::nullopt, {{0, 5}}, {}, RuntimeTarget::kTorch});
  EXPECT_FALSE(LayoutsInSpace(problem, torch, 64).ok());
}

TEST(SpaceLayoutsTest, TakesANumberInBetweenWhereItMust) {
  const Problem problem = Chain(5, 4);
  SearchSpace space;
  space.target = RuntimeTarget::kTorch;
  space.stages = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}};
  const SpaceFilter filter(problem, space);
  const auto layouts = LayoutsInSpace(problem, filter, 64);
  ASSERT_TRUE(layouts.ok()) << layouts.status();
  EXPECT_EQ(layouts->front().partition.stages(), 5);
}

TEST(SpaceTextTest, ReadsNamesAndIndices) {
  Problem problem = Chain(6, 2);
  problem.layers[5].name = "2";
  EXPECT_EQ(*ParseLayer(problem, "layer.4"), 4);
  EXPECT_EQ(*ParseLayer(problem, "3"), 3);
  EXPECT_EQ(*ParseLayer(problem, "2"), 5);  // a name goes first
  const auto range = ParseLayerRange(problem, "layer.1..4");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->first, 1);
  EXPECT_EQ(range->last, 4);
  const auto pin = ParseDevicePin(problem, "0..layer.2=gpu1");
  ASSERT_TRUE(pin.ok());
  EXPECT_EQ(pin->layers.last, 2);
  EXPECT_EQ(pin->device, 1);
  EXPECT_EQ(ParseLayerRange(problem, "1..9").status().message(),
            "there is no layer '9'; give a name or 0 to 5");
  EXPECT_EQ(ParseDevicePin(problem, "1=gpu7").status().message(),
            "there is no device 'gpu7'; give a name or 0 to 1");
  EXPECT_EQ(ParseDevicePin(problem, "1").status().message(),
            "'1' is no pin; expected LAYER=DEVICE or LAYER..LAYER=DEVICE");
  EXPECT_EQ(
      ParseSearchSpace(problem, {"tensorflow", {}, {}, {}}).status().message(),
      "unknown target 'tensorflow'; expected one of native, torch, "
      "torchtitan, megatron, deepspeed");
}

}  // namespace
}  // namespace octopipe
