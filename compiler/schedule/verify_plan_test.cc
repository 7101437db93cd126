#include "compiler/schedule/verify_plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// A chain of one layer a stage, as many devices, two micro-batches.
Problem Chain(int stages) {
  Problem problem;
  problem.micro_batches = 2;
  for (int s = 0; s < stages; ++s) {
    Layer layer;
    layer.name = absl::StrCat("layer", s);
    if (s > 0) layer.inputs = {s - 1};
    layer.cost.memory.param_bytes = 100;
    layer.cost.memory.saved_b_bytes = 10;
    layer.cost.memory.saved_w_bytes = 4;
    layer.cost.memory.f_workspace_bytes = 3;
    layer.cost.memory.b_workspace_bytes = 7;
    problem.layers.push_back(layer);
    problem.devices.push_back({absl::StrCat("gpu", s), "gpu", 0, 1000});
  }
  return problem;
}

std::vector<WorkItem> Items(const std::string& text) {
  std::vector<WorkItem> items;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    items.push_back(*ParseWorkItem(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

// Stage d on device d.
Plan PlanOf(const std::vector<std::string>& programs) {
  Plan plan;
  for (size_t d = 0; d < programs.size(); ++d) {
    plan.partition.begin.push_back(d + 1);
    plan.placement.device.push_back(d);
    plan.order.programs.push_back(Items(programs[d]));
  }
  return plan;
}

std::string Findings(const Problem& problem, const Plan& plan) {
  return absl::StrJoin(
      VerifyPlan(problem, plan), "\n",
      [](std::string* out, const Finding& finding) {
        absl::StrAppend(out, RuleName(finding.rule), " ", finding.subject.index,
                        " ", finding.subject.position, ": ", finding.message);
      });
}

constexpr char kFirst[] = "F0.0 F0.1 BW0.0 BW0.1";
constexpr char kLast[] = "F1.0 BW1.0 F1.1 BW1.1";

TEST(VerifyPlan, AcceptsWholeSplitAndEither) {
  EXPECT_EQ(Findings(Chain(2), PlanOf({kFirst, kLast})), "");
  EXPECT_EQ(
      Findings(Chain(2), PlanOf({kFirst, "F1.0 B1.0 F1.1 B1.1 W1.1 W1.0"})),
      "");
  EXPECT_EQ(Findings(Chain(2), PlanOf({"F0.0 F0.1 B0.0 W0.0 BW0.1", kLast})),
            "");
}

TEST(VerifyPlan, StopsAtThePartition) {
  Plan plan = PlanOf({kFirst, kLast});
  plan.partition.begin.back() = 1;
  plan.placement.device.clear();
  EXPECT_EQ(Findings(Chain(2), plan),
            "stage-empty 1 -1: stage 1 has no layers: it begins and ends at "
            "layer 1; every stage needs at least 1\n"
            "layers-uncovered 1 -1: stage 1 ends before layer 1; the last "
            "stage must end with the last of 2 layers");
}

TEST(VerifyPlan, StopsAtThePlacement) {
  Plan plan = PlanOf({kFirst, kLast});
  plan.placement.device[1] = 2;
  EXPECT_EQ(Findings(Chain(2), plan),
            "unknown-device 1 -1: stage 1 is on device 2; the cluster has "
            "devices 0 to 1");
}

TEST(VerifyPlan, ReportsEveryMissingItem) {
  EXPECT_EQ(
      Findings(Chain(2), PlanOf({"F0.0 BW0.0 B0.1", "F1.0 BW1.0 F1.1"})),
      "item-missing 0 -1: device 0 lacks F0.1\n"
      "item-missing 0 -1: device 0 lacks W0.1, though it has B0.1; a split "
      "backward needs both\n"
      "item-missing 1 -1: device 1 lacks the backward of stage 1, micro-batch "
      "1; it needs BW1.1, or B1.1 and W1.1");
}

TEST(VerifyPlan, AcceptsProgramsOfIdleDevicesOnly) {
  Problem problem = Chain(2);
  problem.devices.push_back({"idle", "gpu", 1, 1000});
  EXPECT_EQ(Findings(problem, PlanOf({kFirst, kLast})), "");
  Plan plan = PlanOf({kFirst, kLast});
  plan.order.programs.resize(4);
  EXPECT_EQ(Findings(problem, plan), "");
  plan.order.programs[3] = {Forward(0, 0)};
  EXPECT_EQ(Findings(problem, plan),
            "item-on-wrong-device 3 0: the order has 1 items on device 3; the "
            "cluster has devices 0 to 2");
}

TEST(VerifyPlan, ReportsRepeats) {
  EXPECT_EQ(Findings(Chain(2), PlanOf({"F0.0 F0.1 F0.0 BW0.0 BW0.1", kLast})),
            "item-repeated 0 2: device 0 has F0.0 at item 2, which repeats "
            "item 0 of device 0; every item runs once");
}

TEST(VerifyPlan, ReportsWrongDevices) {
  EXPECT_EQ(Findings(Chain(2), PlanOf({"F0.0 F0.1 BW0.0",
                                       "F1.0 BW1.0 F1.1 BW1.1 BW0.1"})),
            "item-on-wrong-device 1 4: device 1 has BW0.1 at item 4, but stage "
            "0 is on device 0");
}

TEST(VerifyPlan, ReportsInvalidItems) {
  Plan plan = PlanOf({kFirst, kLast});
  plan.order.programs[0].push_back(Forward(2, 0));
  plan.order.programs[0].push_back(Forward(-1, 0));
  plan.order.programs[0].push_back(Forward(0, 2));
  plan.order.programs[0].push_back(Forward(0, -1));
  plan.order.programs[0].push_back({WorkKind::kSendActivation, -1, 0, 0});
  plan.order.programs[0].push_back({WorkKind::kForward, 0, 0, 0});
  EXPECT_EQ(
      Findings(Chain(2), plan),
      "item-invalid 0 4: device 0 has F2.0 at item 4; the plan has stages 0 to "
      "1\n"
      "item-invalid 0 5: device 0 has F-1.0 at item 5; the plan has stages 0 "
      "to 1\n"
      "item-invalid 0 6: device 0 has F0.2 at item 6; the model has "
      "micro-batches 0 to 1\n"
      "item-invalid 0 7: device 0 has F0.-1 at item 7; the model has "
      "micro-batches 0 to 1\n"
      "item-invalid 0 8: device 0 has SF0.0 at item 8; an order holds F, B, W "
      "and BW without a slot only\n"
      "item-invalid 0 9: device 0 has F0.0.0 at item 9; an order holds F, B, W "
      "and BW without a slot only");
}

TEST(VerifyPlan, ReportsMixedBackwards) {
  EXPECT_EQ(Findings(Chain(2), PlanOf({"F0.0 F0.1 BW0.0 BW0.1 W0.1", kLast})),
            "backward-mixed 0 4: backward of stage 0, micro-batch 1 is both "
            "whole (item 3 of device 0) and split (item 4 of device 0); it "
            "must be one of them");
}

TEST(VerifyPlan, ReportsForbiddenSplitsOnceAStage) {
  Problem problem = Chain(2);
  problem.layers[0].cost.splittable = false;
  EXPECT_EQ(
      Findings(problem, PlanOf({"F0.0 F0.1 B0.0 W0.0 B0.1 W0.1", kLast})),
      "backward-not-splittable 0 2: device 0 has B0.0 at item 2, but layer 0 "
      "\"layer0\" of stage 0 allows whole backwards only; use BW0.0");
  EXPECT_EQ(Findings(problem, PlanOf({kFirst, kLast})), "");
}

TEST(VerifyPlan, ReportsOrderAgainstDataFlow) {
  EXPECT_EQ(Findings(Chain(2), PlanOf({"F0.0 BW0.0 BW0.1 F0.1", kLast})),
            "data-flow 0 2: device 0 runs BW0.1 at item 2 before F0.1 at item "
            "3, which it needs; move it behind");
  EXPECT_EQ(
      Findings(Chain(2), PlanOf({kFirst, "F1.0 W1.0 B1.0 F1.1 BW1.1"})),
      "data-flow 1 1: device 1 runs W1.0 at item 1 before B1.0 at item 2, "
      "which it needs; move it behind");
}

TEST(VerifyPlan, DescribesTheShortestCycle) {
  EXPECT_EQ(
      Findings(Chain(2),
               PlanOf({"F0.0 BW0.0 F0.1 BW0.1", "F1.0 F1.1 BW1.0 BW1.1"})),
      "deadlock 0 1: the devices wait for one another for ever: device 0 waits "
      "at item 1 (BW0.0) for BW1.0 on device 1, which waits at item 1 (F1.1) "
      "for F0.1 on device 0");
}

// Devices 0, 1 and 2 wait for the next one, and 0 for 3 by a skip; 3 waits for
// 0 and 2.
TEST(VerifyPlan, PrefersAShorterCycle) {
  Problem problem = Chain(4);
  problem.layers[3].inputs = {0, 2};
  Plan plan = PlanOf({"F0.0 BW0.0 F0.1 BW0.1", "F1.0 BW1.0 F1.1 BW1.1",
                      "F2.0 BW2.0 F2.1 BW2.1", "F3.0 F3.1 BW3.0 BW3.1"});
  EXPECT_EQ(Findings(problem, plan),
            "deadlock 0 1: the devices wait for one another for ever: device 0 "
            "waits at item 1 (BW0.0) for BW3.0 on device 3, which waits at "
            "item 1 (F3.1) for F0.1 on device 0");
}

TEST(VerifyPlan, NeedsNoGradientWhereNoneFlows) {
  Problem problem = Chain(2);
  const Plan plan = PlanOf({"F0.0 BW0.0 F0.1 BW0.1", "F1.0 F1.1 BW1.0 BW1.1"});
  problem.layers[0].needs_grad = false;
  EXPECT_EQ(Findings(problem, plan), "");
}

// Device 1: 100 static, 14 saved, 3 while F and 7 while B and W run.
TEST(VerifyPlan, CountsMemoryToTheByte) {
  Problem problem = Chain(2);
  const Plan whole = PlanOf({kFirst, kLast});
  problem.devices[1].memory_bytes = 121;
  EXPECT_EQ(Findings(problem, whole), "");
  problem.devices[1].memory_bytes = 120;
  EXPECT_EQ(Findings(problem, whole),
            "memory-exceeded 1 1: device 1 @gpu1 needs 121 bytes at item 1 "
            "(BW1.0) and has 120 bytes: 1 byte over; 100 bytes are "
            "parameters, gradients and optimizer state, stage 1 holds most, 14 "
            "bytes of activations; its peak is 121 bytes at item 1 (BW1.0); "
            "use a schedule with fewer micro-batches in flight, or more "
            "devices");
  // W0 holds 4 bytes longer: 100 + 14 + 4 + 7.
  const Plan split = PlanOf({kFirst, "F1.0 B1.0 F1.1 B1.1 W1.0 W1.1"});
  problem.devices[1].memory_bytes = 125;
  EXPECT_EQ(Findings(problem, split), "");
  problem.devices[1].memory_bytes = 124;
  EXPECT_NE(Findings(problem, split), "");
}

TEST(VerifyPlan, CountsForwardWorkspace) {
  Problem problem = Chain(2);
  for (Layer& layer : problem.layers) {
    layer.cost.memory.f_workspace_bytes = 50;
  }
  problem.devices[0].memory_bytes = 100 + 14 + 14 + 50;
  EXPECT_EQ(Findings(problem, PlanOf({kFirst, kLast})), "");
  --problem.devices[0].memory_bytes;
  EXPECT_NE(Findings(problem, PlanOf({kFirst, kLast})), "");
}

// A group's parameters count once a device, and again on another.
TEST(VerifyPlan, CountsSharedParametersOnce) {
  Problem problem = Chain(2);
  problem.layers[0].shares = problem.layers[1].shares = "tied";
  Plan plan = PlanOf({"F0.0 F1.0 BW1.0 BW0.0 F0.1 F1.1 BW1.1 BW0.1", ""});
  plan.placement.device[1] = 0;
  problem.devices[0].memory_bytes = 100 + 2 * 14 + 7;
  problem.devices[1].memory_bytes = 1;
  EXPECT_EQ(Findings(problem, plan), "");
  --problem.devices[0].memory_bytes;
  EXPECT_NE(Findings(problem, plan), "");
  problem.devices[0].memory_bytes = 1000;
  problem.devices[1].memory_bytes = 100;
  EXPECT_NE(Findings(problem, PlanOf({kFirst, kLast})), "");
}

TEST(VerifyPlan, ListsTwentyOfARule) {
  Problem problem = Chain(1);
  problem.micro_batches = 25;
  const std::vector<Finding> findings = VerifyPlan(problem, PlanOf({""}));
  ASSERT_EQ(findings.size(), 21);
  EXPECT_EQ(findings.back().message, "30 more of item-missing are not listed");
  EXPECT_EQ(findings.back().rule, Rule::kItemMissing);
}

}  // namespace
}  // namespace octopipe
