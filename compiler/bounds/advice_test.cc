#include "compiler/bounds/advice.h"

#include <string>
#include <vector>

#include "compiler/schedule/chain_problem.h"
#include "compiler/schedule/problem.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// The advice of the largest bound; the others have none.
std::string AdviceFor(const Problem& problem) {
  std::vector<Bound> bounds = AllBounds(problem);
  Advise(problem, bounds);
  const Bound* largest = LargestBound(bounds);
  for (const Bound& bound : bounds) {
    EXPECT_EQ(bound.advice.empty(), &bound != largest);
  }
  return largest->advice;
}

std::vector<LayerTimes> WithHead(int layers, LayerTimes head) {
  std::vector<LayerTimes> times(layers, {100, 100, 100});
  times.push_back(head);
  return times;
}

TEST(Advise, SplitsTheLayerThatBinds) {
  // 100 · 900 after 300 of head. In halves 100 · 450 after 450.
  const Problem problem = ChainProblem(WithHead(3, {300, 300, 300}), 6, 100);
  EXPECT_EQ(AdviceFor(problem),
            "layer 'l3' in two halves (alone it keeps a device busy for 99.7 % "
            "of this) would take 49.7 % off; 2 devices have the same bound");
}

TEST(Advise, SaysHowToSplitAHead) {
  Problem problem = ChainProblem(WithHead(3, {300, 300, 300}), 6, 100);
  problem.layers[3].cost.role = LayerRole::kHead;
  EXPECT_EQ(AdviceFor(problem).find(
                "layer 'l3' in two halves, split by vocabulary (alone "),
            0);
}

TEST(Advise, WantsShorterLayers) {
  // Ten alike on four devices: three on one. In halves, five.
  const Problem problem =
      ChainProblem(std::vector<LayerTimes>(10, {100, 100, 100}), 4, 1000);
  EXPECT_EQ(AdviceFor(problem), "layers half as long would take 16.7 % off");
}

TEST(Advise, WantsMoreMicroBatches) {
  Problem problem =
      ChainProblem(std::vector<LayerTimes>(2, {100, 100, 0}), 2, 1);
  for (Layer& layer : problem.layers) layer.cost.splittable = false;
  // 400 for one micro-batch, 600 for two; no device helps the other with one.
  EXPECT_EQ(AdviceFor(problem),
            "twice the micro-batches, for each, would take 25.0 % off; 1 "
            "device has the same bound");
}

TEST(Advise, WantsMoreMemory) {
  // Each device has one micro-batch at a time: the first one all of the time
  // from its F to its W.
  Problem problem =
      ChainProblem(std::vector<LayerTimes>(8, {100, 100, 100}), 8, 1000);
  for (Layer& layer : problem.layers) layer.cost.memory.saved_w_bytes = 1;
  for (Device& device : problem.devices) device.memory_bytes = 1;
  const std::string advice = AdviceFor(problem);
  EXPECT_EQ(advice.find("twice the memory would take 50."), 0) << advice;
}

TEST(Advise, HasNoneButMoreDevices) {
  EXPECT_EQ(
      AdviceFor(ChainProblem(std::vector<LayerTimes>(8, {1, 1, 1}), 1, 1000)),
      "more or faster devices; plain work is 100.0 % of it");
}

TEST(Advise, KeepsSilentAboutNothing) {
  std::vector<Bound> bounds =
      AllBounds(ChainProblem(std::vector<LayerTimes>(2, {0, 0, 0}), 2, 2));
  Advise(ChainProblem(std::vector<LayerTimes>(2, {0, 0, 0}), 2, 2), bounds);
  for (const Bound& bound : bounds) EXPECT_TRUE(bound.advice.empty());
}

}  // namespace
}  // namespace octopipe
