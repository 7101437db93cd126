#include "compiler/schedule/named_schedules.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// One layer a stage; all costs equal.
Problem EqualStages(int stages, int devices, int micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  for (int s = 0; s < stages; ++s) {
    Layer layer;
    layer.name = absl::StrCat("layer", s);
    layer.cost.times = {1, 1, 1};
    if (s > 0) layer.inputs = {s - 1};
    problem.layers.push_back(layer);
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("device", d), "gpu", 0, 1000});
  }
  return problem;
}

Partition OneLayerEach(int stages) {
  Partition partition;
  for (int s = 0; s < stages; ++s) partition.begin.push_back(s + 1);
  return partition;
}

StageTable EqualTable(const Placement& placement, int devices,
                      int micro_batches) {
  const int stages = static_cast<int>(placement.device.size());
  return BuildStageTable(EqualStages(stages, devices, micro_batches),
                         OneLayerEach(stages), placement);
}

std::string ProgramText(const Order& order, int device) {
  return absl::StrJoin(
      order.programs[device], " ",
      [](std::string* out, const WorkItem& item) { AppendItem(item, out); });
}

std::string PlacementText(const Placement& placement) {
  return absl::StrJoin(placement.device, " ");
}

std::string FindingsText(const std::vector<Finding>& findings) {
  return absl::StrJoin(
      findings, "\n", [](std::string* out, const Finding& finding) {
        absl::StrAppend(out, RuleName(finding.rule), ": ", finding.message);
      });
}

TEST(NamedSchedules, AreListedInOrder) {
  std::vector<std::string> names;
  for (const NamedSchedule& schedule : NamedSchedules()) {
    names.emplace_back(schedule.name);
    EXPECT_EQ(*FindNamedSchedule(schedule.name), &schedule);
  }
  EXPECT_EQ(absl::StrJoin(names, " "),
            "gpipe 1f1b interleaved-1f1b zb-h1 zb-h2 zb-v v-half v-min");
}

TEST(NamedSchedules, UnknownNameListsTheNames) {
  const absl::Status status = FindNamedSchedule("1F1B").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "no schedule is named '1F1B'; expected one of gpipe, 1f1b, "
            "interleaved-1f1b, zb-h1, zb-h2, zb-v, v-half, v-min");
  EXPECT_EQ(
      GenerateNamedSchedule("zb", EqualTable({{0}}, 1, 1)).status().code(),
      absl::StatusCode::kNotFound);
}

TEST(MakePlacement, Loops) {
  EXPECT_EQ(PlacementText(MakePlacement(PlacementPattern::kLoop, 7, 3)),
            "0 1 2 0 1 2 0");
}

TEST(MakePlacement, Waves) {
  EXPECT_EQ(PlacementText(MakePlacement(PlacementPattern::kWave, 11, 3)),
            "0 1 2 2 1 0 0 1 2 2 1");
}

// The charts of the generators' files, device by device.
struct Chart {
  const char* name;
  Placement placement;
  int micro_batches;
  std::vector<std::string> programs;
};

TEST(NamedSchedules, MatchTheirCharts) {
  const Placement one_each = {{0, 1, 2}};
  const std::vector<Chart> charts = {
      {"gpipe",
       one_each,
       2,
       {"F0.0 F0.1 BW0.0 BW0.1", "F1.0 F1.1 BW1.0 BW1.1",
        "F2.0 F2.1 BW2.0 BW2.1"}},
      {"1f1b",
       one_each,
       4,
       {"F0.0 F0.1 F0.2 BW0.0 F0.3 BW0.1 BW0.2 BW0.3",
        "F1.0 F1.1 BW1.0 F1.2 BW1.1 F1.3 BW1.2 BW1.3",
        "F2.0 BW2.0 F2.1 BW2.1 F2.2 BW2.2 F2.3 BW2.3"}},
      {"interleaved-1f1b",
       {{0, 1, 0, 1}},
       4,
       {"F0.0 F0.1 F2.0 F2.1 F0.2 BW2.0 F0.3 BW2.1 F2.2 BW0.0 F2.3 BW0.1 "
        "BW2.2 BW2.3 BW0.2 BW0.3",
        "F1.0 F1.1 F3.0 BW3.0 F3.1 BW3.1 F1.2 BW1.0 F1.3 BW1.1 F3.2 BW3.2 "
        "F3.3 BW3.3 BW1.2 BW1.3"}},
      {"zb-h1",
       one_each,
       4,
       {"F0.0 F0.1 F0.2 B0.0 W0.0 F0.3 B0.1 W0.1 B0.2 W0.2 B0.3 W0.3",
        "F1.0 F1.1 B1.0 F1.2 B1.1 W1.0 F1.3 B1.2 W1.1 B1.3 W1.2 W1.3",
        "F2.0 B2.0 F2.1 B2.1 F2.2 B2.2 W2.0 F2.3 B2.3 W2.1 W2.2 W2.3"}},
      {"zb-h2",
       {{0, 1}},
       4,
       {"F0.0 F0.1 F0.2 B0.0 W0.0 F0.3 B0.1 W0.1 B0.2 W0.2 B0.3 W0.3",
        "F1.0 B1.0 F1.1 B1.1 F1.2 B1.2 W1.0 F1.3 B1.3 W1.1 W1.2 W1.3"}},
      {"zb-v",
       {{0, 1, 2, 2, 1, 0}},
       3,
       {"F0.0 F0.1 F0.2 F5.0 B5.0 F5.1 B5.1 F5.2 B5.2 B0.0 W5.0 B0.1 W5.1 "
        "B0.2 W5.2 W0.0 W0.1 W0.2",
        "F1.0 F1.1 F4.0 F1.2 F4.1 B4.0 F4.2 B4.1 B1.0 B4.2 B1.1 W4.0 B1.2 "
        "W4.1 W1.0 W4.2 W1.1 W1.2",
        "F2.0 F3.0 F2.1 F3.1 F2.2 F3.2 B3.0 B2.0 B3.1 B2.1 B3.2 B2.2 W3.0 "
        "W2.0 W3.1 W2.1 W3.2 W2.2"}},
  };
  for (const Chart& chart : charts) {
    const int devices = static_cast<int>(chart.programs.size());
    absl::StatusOr<Order> order = GenerateNamedSchedule(
        chart.name, EqualTable(chart.placement, devices, chart.micro_batches));
    ASSERT_TRUE(order.ok()) << order.status();
    for (int d = 0; d < devices; ++d) {
      EXPECT_EQ(ProgramText(*order, d), chart.programs[d]) << chart.name;
    }
  }
}

// Consecutive stages run as one, forwards up and backwards down.
TEST(NamedSchedules, StacksConsecutiveStages) {
  absl::StatusOr<Order> order =
      GenerateNamedSchedule("1f1b", EqualTable({{1, 1, 0}}, 3, 2));
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(ProgramText(*order, 1),
            "F0.0 F1.0 F0.1 F1.1 BW1.0 BW0.0 BW1.1 BW0.1");
  EXPECT_EQ(ProgramText(*order, 0), "F2.0 BW2.0 F2.1 BW2.1");
  EXPECT_EQ(ProgramText(*order, 2), "");
}

TEST(NamedSchedules, InterleavesOneChunkLikeOneFOneB) {
  for (int devices = 1; devices <= 5; ++devices) {
    for (int micro_batches = 1; micro_batches <= 11; ++micro_batches) {
      const StageTable table =
          EqualTable(MakePlacement(PlacementPattern::kLoop, devices, devices),
                     devices, micro_batches);
      EXPECT_EQ(*GenerateNamedSchedule("interleaved-1f1b", table),
                *GenerateNamedSchedule("1f1b", table))
          << devices << " devices, " << micro_batches << " micro-batches";
    }
  }
}

TEST(NamedSchedules, KeepsWholeWhatMayNotBeSplit) {
  StageTable table = EqualTable({{0, 1}}, 2, 2);
  table.stages[0].splittable = false;
  absl::StatusOr<Order> order = GenerateNamedSchedule("zb-h1", table);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(ProgramText(*order, 0), "F0.0 F0.1 BW0.0 BW0.1");
  EXPECT_EQ(ProgramText(*order, 1), "F1.0 B1.0 F1.1 B1.1 W1.0 W1.1");
}

TEST(NamedSchedules, RefusesSeparatedStages) {
  const StageTable table = EqualTable({{0, 1, 0}}, 2, 2);
  for (const char* name : {"1f1b", "zb-h1", "zb-h2"}) {
    const absl::Status status = GenerateNamedSchedule(name, table).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat(name,
                           " needs consecutive stages on each device, but "
                           "device 0 has stages 0 and 2 and not stage 1, which "
                           "is on device 1; place stage 2 on device 1 or use "
                           "interleaved-1f1b"));
  }
}

TEST(NamedSchedules, RefusesWhatIsNoWave) {
  const StageTable table = EqualTable({{0, 1, 0, 1}}, 2, 2);
  for (const char* name : {"zb-v", "v-half", "v-min"}) {
    const absl::Status status = GenerateNamedSchedule(name, table).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat(name,
                           " needs stages that run once over the devices and "
                           "back, such as devices 0 1 1 0, but stage 2 is on "
                           "device 0 and stage 3 on device 1; place stage 3 on "
                           "device 0 or place the stages back and forth (v)"));
  }
}

// Of the papers' own layouts, every size fits and gives a valid order.
TEST(NamedSchedules, AreValidForEverySize) {
  for (const NamedSchedule& schedule : NamedSchedules()) {
    for (int devices = 1; devices <= 9; ++devices) {
      for (int chunks : {1, 2, 3}) {
        if (schedule.stages_per_device != 0 &&
            schedule.stages_per_device != chunks) {
          continue;
        }
        for (int micro_batches : {1, 2, 3, 5, 8, 9, 16, 19}) {
          Plan plan;
          const int stages = chunks * devices;
          const Problem problem = EqualStages(stages, devices, micro_batches);
          plan.partition = OneLayerEach(stages);
          plan.placement = MakePlacement(schedule.placement, stages, devices);
          absl::StatusOr<Order> order = GenerateNamedSchedule(
              schedule.name,
              BuildStageTable(problem, plan.partition, plan.placement));
          ASSERT_TRUE(order.ok()) << order.status();
          plan.order = *std::move(order);
          ASSERT_EQ(FindingsText(VerifyPlan(problem, plan)), "")
              << schedule.name << ", " << devices << " devices, " << chunks
              << " chunks, " << micro_batches << " micro-batches";
        }
      }
    }
  }
}

// Whether the schedule's rule, in words, admits every placement of a shape.
bool IsMadeFor(const NamedSchedule& schedule, PlacementShape shape) {
  if (schedule.name == "gpipe" || schedule.name == "interleaved-1f1b") {
    return true;
  }
  if (shape == PlacementShape::kRuns) return true;
  return shape == PlacementShape::kWave &&
         schedule.placement == PlacementPattern::kWave;
}

// Whatever passes `check`, for any costs, graph and placement, is valid.
TEST(NamedSchedules, AreValidWhereTheyFit) {
  for (int seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    const Problem problem = RandomProblem({}, random);
    const int devices = static_cast<int>(problem.devices.size());
    const int stages = Uniform(random, 1, problem.layers.size());
    Plan plan;
    plan.partition = RandomPartition(problem, stages, random);
    const PlacementShape shape = static_cast<PlacementShape>(seed % 3);
    plan.placement = RandomPlacement(shape, stages, devices, random);
    const StageTable table =
        BuildStageTable(problem, plan.partition, plan.placement);
    for (const NamedSchedule& schedule : NamedSchedules()) {
      const absl::Status fits = schedule.check(table);
      if (IsMadeFor(schedule, shape)) {
        ASSERT_TRUE(fits.ok()) << fits << ", seed " << seed;
      }
      if (!fits.ok()) continue;
      plan.order = schedule.generate(table);
      ASSERT_EQ(FindingsText(VerifyPlan(problem, plan)), "")
          << schedule.name << ", seed " << seed << ", devices "
          << PlacementText(plan.placement);
      for (const std::vector<WorkItem>& program : plan.order.programs) {
        for (const WorkItem& item : program) {
          const bool is_split = item.kind == WorkKind::kInputGradient ||
                                item.kind == WorkKind::kWeightGradient;
          const bool may_split =
              schedule.splits_backward && table.stages[item.stage].splittable;
          ASSERT_TRUE(item.kind == WorkKind::kForward || is_split == may_split)
              << schedule.name << ", seed " << seed << ", " << ToString(item);
        }
      }
    }
  }
}

}  // namespace
}  // namespace octopipe
