// Makespans, bubbles and activations of the named schedules against formulas.
//
// Units: where F, B and W are said to be equal, each takes 1 ns, and a device's
// share of a micro-batch's activations is one block a stage, all of it held to
// the end of W.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// A chain of one layer a stage over devices without links between them.
StageTable TableOf(const std::vector<LayerTimes>& times,
                   const NamedSchedule& schedule, int devices,
                   int micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  Partition partition;
  const int stages = static_cast<int>(times.size());
  for (int s = 0; s < stages; ++s) {
    Layer layer;
    layer.cost.times = times[s];
    layer.cost.memory.saved_w_bytes = 1;
    if (s > 0) layer.inputs = {s - 1};
    problem.layers.push_back(layer);
    partition.begin.push_back(s + 1);
  }
  problem.devices.resize(devices);
  return BuildStageTable(problem, partition,
                         MakePlacement(schedule.placement, stages, devices));
}

Metrics Evaluate(const char* name, const std::vector<LayerTimes>& times,
                 int devices, int micro_batches) {
  absl::StatusOr<const NamedSchedule*> schedule = FindNamedSchedule(name);
  EXPECT_TRUE(schedule.ok()) << schedule.status();
  const StageTable table = TableOf(times, **schedule, devices, micro_batches);
  absl::StatusOr<Order> order = GenerateNamedSchedule(name, table);
  EXPECT_TRUE(order.ok()) << order.status();
  absl::StatusOr<Metrics> metrics = EvaluatePlan(table, *order);
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  return *std::move(metrics);
}

// `chunks` stages of 1 ns each for F, B and W on each device.
Metrics EvaluateEqual(const char* name, int devices, int chunks,
                      int micro_batches) {
  return Evaluate(name, std::vector<LayerTimes>(devices * chunks, {1, 1, 1}),
                  devices, micro_batches);
}

Bytes Peak(const Metrics& metrics) {
  Bytes peak = 0;
  for (const DeviceMetrics& device : metrics.devices) {
    peak = std::max(peak, device.peak_bytes);
  }
  return peak;
}

std::string Size(int devices, int micro_batches) {
  return absl::StrCat(devices, " devices, ", micro_batches, " micro-batches");
}

// Stages t_s long in all, with backward a fixed multiple of forward.
std::vector<LayerTimes> Proportional(int stages, int backward_per_forward,
                                     std::mt19937_64& random) {
  std::vector<LayerTimes> times;
  for (int s = 0; s < stages; ++s) {
    const Nanos f = 1 + static_cast<Nanos>(random() % 50);
    times.push_back({f, f * backward_per_forward, 0});
  }
  return times;
}

// Σ t + (M − 1) max t, t = F + B of a stage, where the last stage is a longest
// one and all have one F : B ratio: it never waits once it has begun, and the
// first and the last micro-batch pass the other stages alone. (For equal
// stages: Narayanan et al. 2021, arXiv 2104.04473, §2.2.) A longest stage that
// stands earlier overlaps its warm-up with theirs, so that the sum is a bound.
TEST(ClosedForms, OneFOneB) {
  std::mt19937_64 random(1);
  for (int stages = 1; stages <= 10; ++stages) {
    for (int micro_batches : {1, 2, 3, 5, 8, 13, 30}) {
      for (int ratio : {1, 2, 3}) {
        auto times = Proportional(stages, ratio, random);
        Nanos sum = 0;
        LayerTimes longest;
        for (const LayerTimes& t : times) {
          sum += t.f_ns + t.b_ns;
          if (t.f_ns > longest.f_ns) longest = t;
        }
        const Nanos formula =
            sum + (micro_batches - 1) * (longest.f_ns + longest.b_ns);
        const std::string size =
            absl::StrCat(Size(stages, micro_batches), ", ratio ", ratio);
        EXPECT_LE(Evaluate("1f1b", times, stages, micro_batches).makespan_ns,
                  formula)
            << size;
        std::sort(times.begin(), times.end(),
                  [](const LayerTimes& a, const LayerTimes& b) {
                    return a.f_ns < b.f_ns;
                  });
        std::shuffle(times.begin(), times.end() - 1, random);
        EXPECT_EQ(Evaluate("1f1b", times, stages, micro_batches).makespan_ns,
                  formula)
            << size;
      }
    }
  }
}

// Two stages of 20 and 2 ns, the longer first: the shorter hides behind it.
TEST(ClosedForms, OneFOneBHidesShortLastStages) {
  EXPECT_EQ(Evaluate("1f1b", {{10, 10, 0}, {1, 1, 0}}, 2, 5).makespan_ns,
            5 * 20);
}

// Σ F + (M − 1) max F, then the same for B: all forwards are a flow shop, and
// the backwards start when the last stage has ended it. For any times.
TEST(ClosedForms, GPipe) {
  std::mt19937_64 random(2);
  for (int stages = 1; stages <= 10; ++stages) {
    for (int micro_batches : {1, 2, 3, 5, 8, 13, 30}) {
      std::vector<LayerTimes> times;
      LayerTimes sum;
      LayerTimes longest;
      for (int s = 0; s < stages; ++s) {
        const LayerTimes t = {static_cast<Nanos>(random() % 50),
                              static_cast<Nanos>(random() % 50), 0};
        times.push_back(t);
        sum.f_ns += t.f_ns;
        sum.b_ns += t.b_ns;
        longest.f_ns = std::max(longest.f_ns, t.f_ns);
        longest.b_ns = std::max(longest.b_ns, t.b_ns);
      }
      EXPECT_EQ(Evaluate("gpipe", times, stages, micro_batches).makespan_ns,
                sum.f_ns + sum.b_ns +
                    (micro_batches - 1) * (longest.f_ns + longest.b_ns))
          << Size(stages, micro_batches);
    }
  }
}

// Bubble (D − 1)(F + B) / v a device for M a multiple of D (Narayanan et al.
// 2021, arXiv 2104.04473), with F and B a micro-batch's on a device: (D − 1)
// chunks here.
TEST(ClosedForms, Interleaved) {
  for (int devices = 1; devices <= 8; ++devices) {
    for (int chunks = 1; chunks <= 4; ++chunks) {
      for (int groups = 1; groups <= 4; ++groups) {
        const int micro_batches = groups * devices;
        EXPECT_EQ(
            EvaluateEqual("interleaved-1f1b", devices, chunks, micro_batches)
                .makespan_ns,
            3 * chunks * micro_batches + 3 * (devices - 1))
            << Size(devices, micro_batches) << ", " << chunks << " chunks";
      }
    }
  }
}

// Bubble (D − 1)(F + B − W) where M ≥ D (Qi et al. 2024, arXiv 2401.10241), all
// of it on the first device before its first B: (D − 1) here.
TEST(ClosedForms, ZbH1) {
  for (int devices = 1; devices <= 10; ++devices) {
    for (int micro_batches = devices; micro_batches <= 4 * devices;
         ++micro_batches) {
      const Metrics metrics = EvaluateEqual("zb-h1", devices, 1, micro_batches);
      EXPECT_EQ(metrics.makespan_ns, 3 * micro_batches + devices - 1)
          << Size(devices, micro_batches);
      EXPECT_EQ(metrics.devices[0].inner_ns, devices - 1);
    }
  }
}

// Bubble (D − 1)(F + B − 2W) = 0 where M ≥ 2D − 1 (ibid.): no device idles
// between its first and its last item. The makespan is then the least possible,
// as the last device cannot start before D − 1.
TEST(ClosedForms, ZbH2) {
  for (int devices = 1; devices <= 10; ++devices) {
    for (int micro_batches = 2 * devices - 1; micro_batches <= 4 * devices;
         ++micro_batches) {
      const Metrics metrics = EvaluateEqual("zb-h2", devices, 1, micro_batches);
      EXPECT_EQ(metrics.makespan_ns, 3 * micro_batches + devices - 1)
          << Size(devices, micro_batches);
      for (const DeviceMetrics& device : metrics.devices) {
        EXPECT_EQ(device.inner_ns, 0) << Size(devices, micro_batches);
      }
    }
  }
}

// Zero bubble (ibid., and arXiv 2405.15362): two stages of 3 a micro-batch
// on the last device, which works from D − 1 to the end without a pause. No
// plan of this placement is shorter.
TEST(ClosedForms, ZbV) {
  for (int devices = 1; devices <= 12; ++devices) {
    for (int micro_batches = devices; micro_batches <= 4 * devices;
         ++micro_batches) {
      const Metrics metrics = EvaluateEqual("zb-v", devices, 2, micro_batches);
      EXPECT_EQ(metrics.makespan_ns, 6 * micro_batches + devices - 1)
          << Size(devices, micro_batches);
      EXPECT_EQ(metrics.devices.back().inner_ns, 0);
    }
  }
}

// One micro-batch passes the devices four times and ends with a W, and each
// further one follows an interval of 6 later: what V-Min's block, which never
// waits on its way, is made for. With the bubble rate 2D/3M of the authors'
// table to arXiv 2405.15362 (over 6M) as the bound.
TEST(ClosedForms, VMin) {
  for (int devices = 2; devices <= 14; ++devices) {
    for (int micro_batches = 1; micro_batches <= 4 * devices; ++micro_batches) {
      const Nanos makespan =
          EvaluateEqual("v-min", devices, 2, micro_batches).makespan_ns;
      EXPECT_EQ(makespan, 4 * devices + 1 + 6 * (micro_batches - 1))
          << Size(devices, micro_batches);
      EXPECT_LE(makespan - 6 * micro_batches, 4 * devices);
    }
  }
}

// The bubble rate D/2M of the same table, half of 1F1B's.
TEST(ClosedForms, VHalf) {
  for (int devices = 1; devices <= 12; ++devices) {
    for (int micro_batches = devices; micro_batches <= 4 * devices;
         ++micro_batches) {
      EXPECT_LE(EvaluateEqual("v-half", devices, 2, micro_batches).makespan_ns -
                    6 * micro_batches,
                3 * devices)
          << Size(devices, micro_batches);
    }
  }
}

// Device d of D holds min(M, D − d) micro-batches under 1F1B (Narayanan et al.
// 2021, arXiv 2104.04473), and all M under GPipe.
TEST(ClosedForms, ActivationsOfOneFOneBAndGPipe) {
  for (int devices = 1; devices <= 10; ++devices) {
    for (int micro_batches : {1, 2, 5, 10, 23}) {
      const Metrics one = EvaluateEqual("1f1b", devices, 1, micro_batches);
      const Metrics all = EvaluateEqual("gpipe", devices, 1, micro_batches);
      for (int d = 0; d < devices; ++d) {
        EXPECT_EQ(one.devices[d].peak_bytes,
                  std::min(micro_batches, devices - d))
            << Size(devices, micro_batches) << ", device " << d;
        EXPECT_EQ(all.devices[d].peak_bytes, micro_batches);
      }
    }
  }
}

// The first device holds D(1 + (D − 1) / (Dv)) micro-batches of v chunks each
// (Korthikanti et al. 2022, arXiv 2205.05198): Dv + D − 1 chunks.
TEST(ClosedForms, ActivationsOfInterleaved) {
  for (int devices = 1; devices <= 8; ++devices) {
    for (int chunks = 2; chunks <= 4; ++chunks) {
      const Metrics metrics =
          EvaluateEqual("interleaved-1f1b", devices, chunks, 3 * devices);
      EXPECT_EQ(metrics.devices[0].peak_bytes, devices * chunks + devices - 1)
          << Size(devices, 3 * devices) << ", " << chunks << " chunks";
    }
  }
}

// D micro-batches under ZB-H1, as under 1F1B, and 2D − 1 under ZB-H2 (arXiv
// 2401.10241), on every device.
TEST(ClosedForms, ActivationsOfZeroBubble) {
  for (int devices = 1; devices <= 10; ++devices) {
    for (int micro_batches : {1, 2, 5, 10, 23}) {
      const Metrics h1 = EvaluateEqual("zb-h1", devices, 1, micro_batches);
      const Metrics h2 = EvaluateEqual("zb-h2", devices, 1, micro_batches);
      for (int d = 0; d < devices; ++d) {
        EXPECT_EQ(h1.devices[d].peak_bytes, std::min(micro_batches, devices));
        EXPECT_EQ(h2.devices[d].peak_bytes,
                  std::min(micro_batches, 2 * devices - 1));
      }
    }
  }
}

// D micro-batches under ZB-V, ⌊(D + 2) / 2⌋ under V-Half and ⌊(D + 4) / 3⌋
// under V-Min (authors' table to arXiv 2405.15362), two chunks each.
TEST(ClosedForms, ActivationsOfTheVFamily) {
  for (int devices = 1; devices <= 40; ++devices) {
    const int micro_batches = 2 * devices + 3;
    EXPECT_EQ(Peak(EvaluateEqual("zb-v", devices, 2, micro_batches)),
              2 * devices)
        << Size(devices, micro_batches);
    EXPECT_EQ(Peak(EvaluateEqual("v-half", devices, 2, micro_batches)),
              2 * ((devices + 2) / 2))
        << Size(devices, micro_batches);
    EXPECT_EQ(Peak(EvaluateEqual("v-min", devices, 2, micro_batches)),
              2 * ((devices + 4) / 3))
        << Size(devices, micro_batches);
  }
}

}  // namespace
}  // namespace octopipe
