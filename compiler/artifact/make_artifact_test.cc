#include "compiler/artifact/make_artifact.h"

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Two layers on two devices, two micro-batches.
Artifact Made() {
  Problem problem;
  problem.name = "two";
  problem.micro_batches = 2;
  problem.layers.resize(2);
  problem.layers[0].name = "a";
  problem.layers[1].name = "b";
  problem.layers[1].inputs = {0};
  for (Layer& layer : problem.layers) {
    layer.cost.times = {10, 20, 0};
    layer.cost.splittable = false;
  }
  problem.devices = {{"gpu0", "h100"}, {"gpu1", "h100"}};
  Plan plan;
  plan.partition.begin = {0, 1, 2};
  plan.placement.device = {0, 1};
  plan.order.programs = {
      {Forward(0, 0), Forward(0, 1), Backward(0, 0), Backward(0, 1)},
      {Forward(1, 0), Backward(1, 0), Forward(1, 1), Backward(1, 1)}};
  auto artifact = MakeArtifact(problem, plan, {"test", "given", {}, 0});
  EXPECT_TRUE(artifact.ok()) << artifact.status();
  return *artifact;
}

TEST(MakeArtifact, HasBoundsAndAdvice) {
  const Artifact made = Made();
  const Bound* bound = LargestBound(made.bounds);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(made.metrics.makespan_ns, 90);
  EXPECT_EQ(bound->ns, 90);
  EXPECT_EQ(made.gap_ppm, 0);
  EXPECT_FALSE(bound->advice.empty());
}

TEST(CompareArtifacts, AcceptsTheBoundsOfAnEarlierRelease) {
  const Artifact found = Made();
  EXPECT_TRUE(CompareArtifacts(found, found).ok());
  Artifact stored = found;
  stored.bounds = {{BoundKind::kWork, 60, "all", ""}};
  stored.gap_ppm = 500000;
  EXPECT_TRUE(CompareArtifacts(stored, found).ok());
  stored.gap_ppm = 400000;
  EXPECT_EQ(
      CompareArtifacts(stored, found).message(),
      "the schedule says gap_ppm 400000, the simulator finds 500000; plan "
      "again");
}

TEST(CompareArtifacts, RefusesABoundThatIsBeaten) {
  const Artifact found = Made();
  Artifact stored = found;
  stored.bounds[0].ns = 91;
  EXPECT_EQ(CompareArtifacts(stored, found).message(),
            "the schedule says work bound_ns 91, which its makespan_ns 90 "
            "beats; plan again");
}

}  // namespace
}  // namespace octopipe
