#include "compiler/artifact/plan_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

// Three layers in two stages on two devices, by 1F1B.
Artifact Made() {
  Artifact artifact;
  for (int l = 0; l < 3; ++l) {
    Layer layer;
    layer.name = absl::StrCat("layer.", l);
    layer.cost.times = {10, 20, 30};
    layer.cost.memory.saved_w_bytes = 100;
    if (l > 0) layer.inputs = {l - 1};
    artifact.problem.layers.push_back(layer);
  }
  artifact.problem.devices = {{"gpu0", "any"}, {"gpu1", "any"}};
  artifact.problem.micro_batches = 4;
  artifact.plan.partition.begin = {0, 2, 3};
  artifact.plan.placement.device = {0, 1};
  const StageTable table = BuildStageTable(
      artifact.problem, artifact.plan.partition, artifact.plan.placement);
  artifact.plan.order = *GenerateNamedSchedule("1f1b", table);
  return artifact;
}

std::string Refusal(const Artifact& artifact, const Problem& problem) {
  return std::string(PlanFor(artifact, problem).status().message());
}

TEST(PlanFileTest, TakesAPlanForOtherCosts) {
  const Artifact artifact = Made();
  Problem problem = artifact.problem;
  problem.layers[1].cost.times.f_ns = 99;
  problem.devices[0].name = "other";
  const auto plan = PlanFor(artifact, problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->partition, artifact.plan.partition);
  EXPECT_EQ(plan->placement, artifact.plan.placement);
  EXPECT_EQ(plan->order, artifact.plan.order);
}

TEST(PlanFileTest, NamesWhatDiffers) {
  const Artifact artifact = Made();
  Problem problem = artifact.problem;
  problem.layers.pop_back();
  EXPECT_EQ(Refusal(artifact, problem),
            "the plan to start from has 3 layers, the model 2");
  problem = artifact.problem;
  problem.layers[2].name = "head";
  EXPECT_EQ(Refusal(artifact, problem),
            "layer 2 of the plan to start from is 'layer.2', of the model "
            "'head'");
  problem = artifact.problem;
  problem.devices.push_back({"gpu2", "any"});
  EXPECT_EQ(Refusal(artifact, problem),
            "the plan to start from has 2 devices, the model 3");
  problem = artifact.problem;
  problem.micro_batches = 8;
  EXPECT_EQ(Refusal(artifact, problem),
            "the plan to start from has 4 micro-batches, the model 8");
}

TEST(PlanFileTest, RefusesAPlanThatNoLongerFits) {
  const Artifact artifact = Made();
  Problem problem = artifact.problem;
  problem.devices[0].memory_bytes = 300;  // two micro-batches take 400
  EXPECT_THAT(Refusal(artifact, problem),
              HasSubstr("the plan to start from does not solve this model: "));
}

TEST(PlanFileTest, ErrorsBeginWithThePath) {
  const auto plan = ReadPlanFor("/nonexistent/plan.pb", Made().problem);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("/nonexistent/plan.pb"));
}

}  // namespace
}  // namespace octopipe
