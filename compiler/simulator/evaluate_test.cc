#include "compiler/simulator/evaluate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/base/finding.h"
#include "compiler/schedule/problem.h"
#include "compiler/simulator/longest_path_oracle.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// One layer a stage, one stage a device.
Problem ChainProblem(const std::vector<LayerTimes>& times, int micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  problem.devices.resize(times.size());
  for (size_t l = 0; l < times.size(); ++l) {
    Layer layer;
    layer.name = std::to_string(l);
    layer.cost.times = times[l];
    if (l > 0) layer.inputs = {static_cast<int>(l) - 1};
    problem.layers.push_back(layer);
  }
  return problem;
}

StageTable OneStageALayer(const Problem& problem,
                          const std::vector<int>& devices) {
  Partition partition;
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    partition.begin.push_back(static_cast<int>(l) + 1);
  }
  return BuildStageTable(problem, partition, Placement{devices});
}

StageTable OneDeviceALayer(const Problem& problem) {
  std::vector<int> devices;
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    devices.push_back(static_cast<int>(l));
  }
  return OneStageALayer(problem, devices);
}

Order Programs(const std::vector<std::string>& programs) {
  Order order;
  for (const std::string& text : programs) {
    std::vector<WorkItem>& program = order.programs.emplace_back();
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      program.push_back(*ParseWorkItem(text.substr(at, end - at)));
      at = end + 1;
    }
  }
  return order;
}

// Stage s runs S − s forwards, then one backward and one forward by turns.
Order OneForwardOneBackward(int stages, int micro_batches) {
  Order order;
  for (int s = 0; s < stages; ++s) {
    std::vector<WorkItem>& program = order.programs.emplace_back();
    const int ahead = std::min(stages - s, micro_batches);
    for (int m = 0; m < ahead; ++m) program.push_back(Forward(s, m));
    for (int m = 0; m < micro_batches; ++m) {
      program.push_back(Backward(s, m));
      if (m + ahead < micro_batches) program.push_back(Forward(s, m + ahead));
    }
  }
  return order;
}

Order AllForwardsFirst(int stages, int micro_batches) {
  Order order;
  for (int s = 0; s < stages; ++s) {
    std::vector<WorkItem>& program = order.programs.emplace_back();
    for (int m = 0; m < micro_batches; ++m) program.push_back(Forward(s, m));
    for (int m = 0; m < micro_batches; ++m) program.push_back(Backward(s, m));
  }
  return order;
}

TEST(EvaluateOrder, AgreesWithTheLongestPathToTheNanosecond) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    InstanceShape shape;
    shape.chain = i % 2 == 0;
    const StageTable table = RandomTable(shape, random);
    const Order order = RandomOrder(table, random);
    const auto found = EvaluateOrder(table, order);
    const auto expected = LongestPath(table, order);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_TRUE(expected.has_value());
    ASSERT_EQ(found->start_ns, expected->start_ns) << "instance " << i;
    ASSERT_EQ(found->makespan_ns, expected->makespan_ns) << "instance " << i;
  }
}

TEST(EvaluateOrder, FailsExactlyWhereTheGraphHasACycle) {
  std::mt19937_64 random(2);
  int cyclic = 0;
  for (int i = 0; i < 2000; ++i) {
    const StageTable table = RandomTable({2, 2, 2, false}, random);
    const Order order = ShuffledOrder(table, random);
    const auto found = EvaluateOrder(table, order);
    const auto expected = LongestPath(table, order);
    ASSERT_EQ(found.ok(), expected.has_value()) << found.status();
    if (!expected) {
      ++cyclic;
      continue;
    }
    ASSERT_EQ(found->start_ns, expected->start_ns);
  }
  EXPECT_GT(cyclic, 500);
  EXPECT_LT(cyclic, 1950);
}

// Σt + (M − 1) · max t where no stage is slower than the last and all have the
// same ratio of F to BW: the last device then never waits once it has begun.
TEST(EvaluateOrder, OneForwardOneBackwardHasItsClosedForm) {
  for (const std::vector<Nanos>& load : std::vector<std::vector<Nanos>>{
           {5, 5, 5, 5}, {7, 3, 4, 1, 9}, {2}, {8, 5, 6, 8}, {1, 2, 3}}) {
    const int stages = static_cast<int>(load.size());
    std::vector<LayerTimes> times;
    Nanos sum = 0;
    Nanos largest = 0;
    for (Nanos t : load) {
      times.push_back({1000 * t, 1300 * t, 700 * t});
      sum += 3000 * t;
      largest = std::max(largest, 3000 * t);
    }
    for (int micro_batches : {stages, 2 * stages, 37}) {
      const StageTable table =
          OneDeviceALayer(ChainProblem(times, micro_batches));
      const auto timeline =
          EvaluateOrder(table, OneForwardOneBackward(stages, micro_batches));
      ASSERT_TRUE(timeline.ok()) << timeline.status();
      EXPECT_EQ(timeline->makespan_ns, sum + (micro_batches - 1) * largest);
    }
  }
}

// Σ(f + b) + (M − 1) · (max f + max b).
TEST(EvaluateOrder, AllForwardsFirstHasItsClosedForm) {
  const std::vector<LayerTimes> times = {{5, 2, 9}, {8, 1, 1}, {3, 7, 6}};
  for (int micro_batches : {1, 2, 3, 50}) {
    const StageTable table =
        OneDeviceALayer(ChainProblem(times, micro_batches));
    const auto timeline =
        EvaluateOrder(table, AllForwardsFirst(3, micro_batches));
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    EXPECT_EQ(timeline->makespan_ns,
              5 + 8 + 3 + 11 + 2 + 13 + (micro_batches - 1) * (8 + 13));
  }
}

// Messages of 10 ns behind each other on one channel, then 3 ns of latency:
// producers end at 1, 2 and 3, messages arrive at 14, 24 and 34.
TEST(EvaluateOrder, MessagesQueueOnAChannel) {
  Problem problem = ChainProblem({{1, 1, 0}, {2, 1, 0}}, 3);
  problem.layers[0].output_bytes = 10;
  problem.links.push_back({0, 1, 3, 1000, ""});
  const auto timeline =
      EvaluateOrder(OneDeviceALayer(problem), AllForwardsFirst(2, 3));
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_EQ(timeline->start_ns[1],
            (std::vector<Nanos>{14, 24, 34, 36, 37, 38}));
  EXPECT_EQ(timeline->start_ns[0], (std::vector<Nanos>{0, 1, 2, 37, 38, 39}));
}

// A hybrid model on two devices with two stages on the first. Device 1 starts
// when embed and one hop are done and is never idle from there on.
TEST(EvaluateOrder, HybridModelOnTwoDevices) {
  const LayerTimes embed = {400000, 0, 600000};
  const LayerTimes mamba = {1000000, 1600000, 700000};
  const LayerTimes attention = {700000, 900000, 300000};
  const LayerTimes moe = {1500000, 1500000, 1700000};
  const LayerTimes mlp = {700000, 700000, 600000};
  const LayerTimes head = {2400000, 2600000, 1000000};
  Problem problem =
      ChainProblem({embed, mamba, attention, mamba, moe, mamba, mlp, head}, 4);
  problem.devices.resize(2);
  for (Layer& layer : problem.layers) {
    layer.output_bytes = layer.output_grad_bytes = 33554432;
  }
  problem.links = {{0, 1, 10000, 200000, ""}, {1, 0, 10000, 200000, ""}};
  const StageTable table =
      BuildStageTable(problem, {{0, 1, 5, 8}}, {{0, 1, 0}});
  const Order order = Programs(
      {"F0.0 F0.1 F0.2 F0.3 F2.0 B2.0 F2.1 B2.1 W2.0 F2.2 B2.2 F2.3 B2.3 W2.1 "
       "W2.2 W2.3 BW0.0 BW0.1 BW0.2 BW0.3",
       "F1.0 F1.1 F1.2 F1.3 B1.0 W1.0 B1.1 W1.1 B1.2 W1.2 B1.3 W1.3"});
  const auto metrics = EvaluatePlan(table, order);
  ASSERT_TRUE(metrics.ok()) << metrics.status();
  const Nanos hop = 10000 + 167773;  // 33554432 / 200 ns, rounded up
  EXPECT_EQ(metrics->makespan_ns, 400000 + hop + 4 * 13200000);
  EXPECT_EQ(metrics->devices[0].busy_ns, 49200000);
  EXPECT_EQ(metrics->devices[1].busy_ns, 52800000);
  EXPECT_EQ(metrics->devices[1].warmup_ns, 400000 + hop);
  EXPECT_EQ(metrics->devices[1].inner_ns, 0);
  EXPECT_EQ(metrics->devices[1].cooldown_ns, 0);
  EXPECT_EQ(metrics->BubblePermille(), 44);
}

TEST(EvaluateOrder, NamesWhatADeviceWaitsFor) {
  const StageTable table =
      OneStageALayer(ChainProblem({{1, 1, 1}, {1, 1, 1}}, 2), {0, 1});
  struct Case {
    std::vector<std::string> programs;
    Rule rule;
    Subject subject;
    std::string message;
  };
  for (const Case& c : std::vector<Case>{
           {{"F0.0 BW0.0", "F1.0"},
            Rule::kItemMissing,
            {SubjectKind::kItem, 0, 1},
            "device 0 waits for ever at item 1, BW0.0: it needs B1.0, which is "
            "in no program"},
           {{"F0.0 BW0.0", "BW1.0 F1.0"},
            Rule::kDataFlow,
            {SubjectKind::kItem, 1, 0},
            "device 1 waits for ever at item 0, BW1.0: it needs F1.0, which "
            "comes later, at item 1"},
           {{"F0.0 BW0.0 W0.0", "F1.0 BW1.0"},
            Rule::kBackwardMixed,
            {SubjectKind::kItem, 0, 2},
            "device 0 waits for ever at item 2, W0.0: it needs B0.0, but item "
            "1 is BW0.0, which includes it"},
           {{"F0.0 BW0.0 F0.1 BW0.1", "F1.1 BW1.1 F1.0 BW1.0"},
            Rule::kDeadlock,
            {SubjectKind::kItem, 0, 1},
            "device 0 waits for ever at item 1, BW0.0: it needs BW1.0, item 3 "
            "of device 1, which in turn waits"}}) {
    const absl::Status status =
        EvaluateOrder(table, Programs(c.programs)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), c.message);
    EXPECT_EQ(SubjectOf(status), c.subject);
    EXPECT_EQ(RuleOf(status), c.rule);
  }
}

TEST(EvaluateOrder, RefusesItemsThatTheTableDoesNotKnow) {
  const StageTable table =
      OneStageALayer(ChainProblem({{1, 1, 1}, {1, 1, 1}}, 2), {0, 1});
  auto message = [&](const std::vector<std::string>& programs) {
    return std::string(
        EvaluateOrder(table, Programs(programs)).status().message());
  };
  EXPECT_EQ(message({"F0.0"}),
            "expected one program for each of 2 devices, got 1");
  EXPECT_EQ(message({"F0.0 SF0.0", ""}),
            "device 0, item 1: SF0.0 is a transfer; expected F, B, W or BW");
  EXPECT_EQ(message({"F2.0", ""}),
            "device 0, item 0: F2.0 names stage 2; expected 0 to 1");
  EXPECT_EQ(message({"F0.2", ""}),
            "device 0, item 0: F0.2 names micro-batch 2; expected 0 to 1");
  EXPECT_EQ(message({"F0.0 F1.0", ""}),
            "device 0, item 1: F1.0 belongs on device 1");
  EXPECT_EQ(message({"F0.0", "F1.0 B1.0 BW1.0"}),
            "device 1, item 2: BW1.0 does work that an item before it has "
            "done");
  Order negative;
  negative.programs = {{Forward(-1, 0)}, {}};
  EXPECT_FALSE(EvaluateOrder(table, negative).ok());
  negative.programs = {{Forward(0, -1)}, {}};
  EXPECT_FALSE(EvaluateOrder(table, negative).ok());
}

TEST(MeasureTimeline, ADevicesTimeIsSplitWithoutRest) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const StageTable table = RandomTable({}, random);
    const Order order = RandomOrder(table, random);
    const auto metrics = EvaluatePlan(table, order);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    for (const DeviceMetrics& device : metrics->devices) {
      EXPECT_EQ(device.busy_ns + device.warmup_ns + device.cooldown_ns +
                    device.inner_ns,
                metrics->makespan_ns);
      EXPECT_EQ(device.inner_data_ns + device.inner_transfer_ns,
                device.inner_ns);
      for (Nanos part : {device.busy_ns, device.warmup_ns, device.cooldown_ns,
                         device.inner_data_ns, device.inner_transfer_ns}) {
        EXPECT_GE(part, 0);
      }
    }
  }
}

// Device 0 waits from 2 to 10: its gradient's producer ends at 8.
TEST(MeasureTimeline, SplitsInnerGapsByCause) {
  Problem problem = ChainProblem({{2, 4, 0}, {3, 2, 0}}, 1);
  problem.layers[0].output_bytes = 1;
  problem.layers[0].output_grad_bytes = 2;
  problem.links = {{0, 1, 0, 1000, ""}, {1, 0, 0, 1000, ""}};
  const auto metrics = EvaluatePlan(OneDeviceALayer(problem),
                                    Programs({"F0.0 BW0.0", "F1.0 BW1.0"}));
  ASSERT_TRUE(metrics.ok()) << metrics.status();
  EXPECT_EQ(metrics->makespan_ns, 14);
  EXPECT_EQ(metrics->devices[0].inner_data_ns, 6);
  EXPECT_EQ(metrics->devices[0].inner_transfer_ns, 2);
  EXPECT_EQ(metrics->devices[1].warmup_ns, 3);
  EXPECT_EQ(metrics->devices[1].cooldown_ns, 6);
}

TEST(BubblePermille, IsExact) {
  Metrics metrics;
  EXPECT_EQ(metrics.BubblePermille(), 0);
  metrics.makespan_ns = int64_t{1} << 59;
  metrics.devices.resize(3);
  for (DeviceMetrics& device : metrics.devices) {
    device.busy_ns = metrics.makespan_ns;
  }
  EXPECT_EQ(metrics.BubblePermille(), 0);
  metrics.devices[0].busy_ns = metrics.makespan_ns - 1;
  EXPECT_EQ(metrics.BubblePermille(), 0);
  metrics.devices[0].busy_ns = 0;
  EXPECT_EQ(metrics.BubblePermille(), 333);
}

}  // namespace
}  // namespace octopipe
