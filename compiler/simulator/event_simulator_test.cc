#include "compiler/simulator/event_simulator.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/schedule/problem.h"
#include "compiler/simulator/critical_path.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/fluid_oracle.h"
#include "compiler/simulator/longest_path_oracle.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Layer 0 on device 0 sends to `sizes.size()` layers, one on each of the other
// devices, over links of 1,000 bytes a microsecond that share a port. Layers
// take 10 ns forward and nothing backward, and gradients are not needed.
Problem Star(const std::vector<Bytes>& sizes, Nanos latency_ns) {
  Problem problem;
  const int receivers = static_cast<int>(sizes.size());
  problem.devices.resize(1 + receivers);
  // A source for each receiver, so that sizes may differ.
  for (int r = 0; r < receivers; ++r) {
    Layer source;
    source.name = "source" + std::to_string(r);
    source.output_bytes = sizes[r];
    source.needs_grad = false;
    if (r + 1 == receivers) source.cost.times.f_ns = 10;
    problem.layers.push_back(source);
  }
  for (int r = 0; r < receivers; ++r) {
    Layer sink;
    sink.name = "sink" + std::to_string(r);
    sink.cost.times.f_ns = 10;
    sink.inputs = {r};
    problem.layers.push_back(sink);
    problem.links.push_back({0, 1 + r, latency_ns, 1000, "nic"});
  }
  return problem;
}

// All sources as one stage, each sink as one.
StageTable StarTable(const Problem& problem) {
  const int receivers = static_cast<int>(problem.layers.size()) / 2;
  Partition partition;
  Placement placement;
  partition.begin.push_back(receivers);
  placement.device.push_back(0);
  for (int r = 0; r < receivers; ++r) {
    partition.begin.push_back(receivers + r + 1);
    placement.device.push_back(1 + r);
  }
  return BuildStageTable(problem, partition, placement);
}

Order Forwards(const StageTable& table) {
  Order order;
  order.programs.resize(table.num_devices);
  for (int s = 0; s < table.num_stages(); ++s) {
    for (int m = 0; m < table.micro_batches; ++m) {
      order.programs[table.stages[s].device].push_back(Forward(s, m));
    }
  }
  return order;
}

// When the first items of devices 1, 2, ... start.
std::vector<Nanos> SinkStarts(const Problem& problem) {
  const StageTable table = StarTable(problem);
  const auto timeline = EvaluateOrder(table, Forwards(table));
  std::vector<Nanos> starts;
  for (int d = 1; d < table.num_devices; ++d) {
    starts.push_back(timeline->start_ns[d].front());
  }
  return starts;
}

TEST(EventSimulator, OneMessageIsAlone) {
  EXPECT_EQ(SinkStarts(Star({700}, 50)), std::vector<Nanos>({10 + 700 + 50}));
}

TEST(EventSimulator, TwoEqualMessagesTakeTwiceAsLong) {
  EXPECT_EQ(SinkStarts(Star({700, 700}, 50)),
            std::vector<Nanos>({10 + 1400 + 50, 10 + 1400 + 50}));
}

TEST(EventSimulator, UnequalMessagesShareWhileBothTravel) {
  EXPECT_EQ(SinkStarts(Star({700, 100}, 50)),
            std::vector<Nanos>({10 + 800 + 50, 10 + 200 + 50}));
}

TEST(EventSimulator, ASlowChannelLeavesTheRestToOthers) {
  Problem problem = Star({900, 900, 900}, 0);
  problem.links[2].bytes_per_us = 100;
  EXPECT_EQ(SinkStarts(problem), std::vector<Nanos>({2010, 2010, 9010}));
}

TEST(EventSimulator, ThePortIsAsFastAsItsFastestLink) {
  Problem problem = Star({900, 900}, 0);
  // One more link, which nothing uses.
  problem.devices.emplace_back();
  problem.links.push_back({0, 3, 0, 1500, "nic"});
  const StageTable table = StarTable(problem);
  ASSERT_EQ(table.shared_ports.size(), 1u);
  EXPECT_EQ(table.shared_ports[0].bytes_per_us, 1500);
  const Timeline timeline = *EvaluateOrder(table, Forwards(table));
  EXPECT_EQ(timeline.start_ns[1].front(), 1210);
  EXPECT_EQ(timeline.start_ns[2].front(), 1210);
}

TEST(EventSimulator, PortsWithRoomForAllAreNotShared) {
  Problem problem = Star({900, 900}, 0);
  problem.devices.emplace_back();
  problem.links.push_back({0, 3, 0, 2000, "nic"});
  EXPECT_TRUE(StarTable(problem).shared_ports.empty());
  problem.links.pop_back();
  EXPECT_EQ(StarTable(problem).shared_ports.size(), 1u);
  problem.links[0].port = "another";
  EXPECT_TRUE(StarTable(problem).shared_ports.empty());
}

TEST(EventSimulator, LatencyIsNotShared) {
  EXPECT_EQ(SinkStarts(Star({0, 700}, 1000000)),
            std::vector<Nanos>({1000010, 1000710}));
}

// The second micro-batch's messages queue behind the first's on each channel.
TEST(EventSimulator, ChannelsStayFirstInFirstOut) {
  Problem problem = Star({700, 700}, 0);
  problem.micro_batches = 2;
  const StageTable table = StarTable(problem);
  const auto timeline = EvaluateOrder(table, Forwards(table));
  EXPECT_EQ(timeline->start_ns[1], std::vector<Nanos>({1410, 2810}));
  EXPECT_EQ(timeline->start_ns[2], std::vector<Nanos>({1410, 2810}));
  EXPECT_EQ(timeline->makespan_ns, 2820);
}

TEST(EventSimulator, WaitsForASharedPortAreWaitsForTransfers) {
  Problem problem = Star({700, 700}, 50);
  problem.micro_batches = 2;
  const StageTable table = StarTable(problem);
  const Order order = Forwards(table);
  const Metrics metrics = *EvaluatePlan(table, order);
  EXPECT_EQ(metrics.devices[1].warmup_ns, 1460);
  EXPECT_EQ(metrics.devices[1].busy_ns, 20);
  EXPECT_EQ(metrics.devices[1].inner_ns, 1400 - 10);
  EXPECT_EQ(metrics.devices[1].inner_transfer_ns, 1400 - 10);
  ASSERT_EQ(metrics.critical_path.size(), 2u);
  // The queue in front of the last message began with the first.
  EXPECT_EQ(metrics.critical_path[0].item, Forward(0, 0));
  EXPECT_EQ(metrics.critical_path[1].cause, CriticalItem::Cause::kTransfer);
}

InstanceShape ShapeOf(int i, bool ports) {
  InstanceShape shape;
  shape.max_stages = 7;
  shape.max_devices = 5;
  shape.chain = i % 2 == 0;
  shape.ports = ports;
  return shape;
}

// A random one in which channels can be in each other's way.
StageTable SharedTable(const InstanceShape& shape, std::mt19937_64& random) {
  for (;;) {
    StageTable table = RandomTable(shape, random);
    if (!table.shared_ports.empty()) return table;
  }
}

TEST(EventSimulator, IsTheLongestPathWhereNothingIsShared) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 400; ++i) {
    const StageTable table = RandomTable(ShapeOf(i, false), random);
    const Order order = RandomOrder(table, random);
    EventSimulator simulator(table, order);
    const auto expected = LongestPath(table, order);
    ASSERT_EQ(simulator.Run(), expected->makespan_ns) << i;
    for (int d = 0; d < table.num_devices; ++d) {
      ASSERT_EQ(simulator.Starts(d), absl::MakeSpan(expected->start_ns[d]));
    }
  }
}

TEST(EventSimulator, NeverEndsWhereADeviceWaitsForEver) {
  std::mt19937_64 random(2);
  int never = 0;
  for (int i = 0; i < 200; ++i) {
    const StageTable table = RandomTable(ShapeOf(i, true), random);
    const Order order = ShuffledOrder(table, random);
    const bool ends = LongestPath(table, order).has_value();
    EXPECT_EQ(EventSimulator(table, order).Run() != EventSimulator::kNever,
              ends);
    EXPECT_EQ(EvaluateOrder(table, order).ok(), ends);
    never += !ends;
  }
  EXPECT_GT(never, 50);
}

TEST(EventSimulator, AgreesWithSmallSteps) {
  constexpr double kStep = 1;
  std::mt19937_64 random(3);
  int delayed = 0;
  for (int i = 0; i < 300; ++i) {
    InstanceShape shape = ShapeOf(i, true);
    shape.scale = 20;
    const StageTable table = SharedTable(shape, random);
    const Order order = RandomOrder(table, random);
    EventSimulator simulator(table, order);
    const Nanos makespan = simulator.Run();
    const SteppedTimes stepped = SimulateInSteps(table, order, kStep);
    const double tolerance =
        kStep *
        static_cast<double>(table.num_stages() * table.micro_batches * 3);
    ASSERT_NEAR(stepped.makespan_ns, makespan, tolerance) << i;
    for (int d = 0; d < table.num_devices; ++d) {
      for (size_t item = 0; item < order.programs[d].size(); ++item) {
        ASSERT_NEAR(stepped.start_ns[d][item], simulator.Starts(d)[item],
                    tolerance)
            << i;
      }
    }
    delayed += makespan > LongestPath(table, order)->makespan_ns;
  }
  EXPECT_GT(delayed, 80);
}

// The same problem with devices and links in another order.
TEST(EventSimulator, DoesNotDependOnNumbers) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const StageTable table = SharedTable(ShapeOf(i, true), random);
    const Order order = RandomOrder(table, random);
    std::vector<int> device(table.num_devices);
    std::iota(device.begin(), device.end(), 0);
    std::shuffle(device.begin(), device.end(), random);
    std::vector<int> channel(table.num_channels);
    std::iota(channel.begin(), channel.end(), 0);
    std::shuffle(channel.begin(), channel.end(), random);
    StageTable other = table;
    Order other_order = order;
    for (int d = 0; d < table.num_devices; ++d) {
      other_order.programs[device[d]] = order.programs[d];
    }
    for (StageCost& stage : other.stages) stage.device = device[stage.device];
    for (StageEdge& edge : other.edges) {
      for (int* c : {&edge.activation_channel, &edge.gradient_channel}) {
        if (*c >= 0) *c = channel[*c];
      }
    }
    std::reverse(other.shared_ports.begin(), other.shared_ports.end());
    for (SharedPort& port : other.shared_ports) {
      for (auto& c : port.channels) c.channel = channel[c.channel];
    }
    const Timeline expected = *EvaluateOrder(table, order);
    const Timeline found = *EvaluateOrder(other, other_order);
    ASSERT_EQ(found.makespan_ns, expected.makespan_ns);
    for (int d = 0; d < table.num_devices; ++d) {
      ASSERT_EQ(found.start_ns[device[d]], expected.start_ns[d]);
    }
  }
}

// Sharing only delays, so bounds on the longest path hold; and a device's time
// and the critical path add up to the makespan.
TEST(EventSimulator, SharingOnlyDelaysAndMetricsAddUp) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 400; ++i) {
    const StageTable table = SharedTable(ShapeOf(i, true), random);
    const Order order = RandomOrder(table, random);
    const Timeline timeline = *EvaluateOrder(table, order);
    const Timeline alone = *LongestPath(table, order);
    ASSERT_GE(timeline.makespan_ns, alone.makespan_ns);
    const Metrics metrics = MeasureTimeline(table, order, timeline);
    for (int d = 0; d < table.num_devices; ++d) {
      for (size_t item = 0; item < order.programs[d].size(); ++item) {
        ASSERT_GE(timeline.start_ns[d][item], alone.start_ns[d][item]);
      }
      const DeviceMetrics& device = metrics.devices[d];
      ASSERT_EQ(device.busy_ns + device.warmup_ns + device.cooldown_ns +
                    device.inner_ns,
                timeline.makespan_ns);
      ASSERT_EQ(device.inner_data_ns + device.inner_transfer_ns,
                device.inner_ns);
      ASSERT_GE(device.inner_data_ns, 0);
      ASSERT_GE(device.inner_transfer_ns, 0);
    }
    const auto& path = metrics.critical_path;
    ASSERT_FALSE(path.empty());
    ASSERT_EQ(path.front().start_ns, 0);
    for (size_t p = 1; p < path.size(); ++p) {
      const Nanos before = path[p - 1].start_ns + path[p - 1].duration_ns;
      if (path[p].cause == CriticalItem::Cause::kTransfer) {
        ASSERT_LT(before, path[p].start_ns);
      } else {
        ASSERT_EQ(before, path[p].start_ns);
      }
    }
  }
}

}  // namespace
}  // namespace octopipe
