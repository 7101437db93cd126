#include "compiler/schedule/check_problem.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/schedule/random_problem.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Problem TwoLayers() {
  Problem problem;
  problem.micro_batches = 4;
  problem.layers.resize(2);
  problem.layers[0].name = "a";
  problem.layers[1].name = "b";
  problem.layers[1].inputs = {0};
  problem.devices = {{"gpu0", "h100", 0, 1000}, {"gpu1", "h100", 0, 1000}};
  problem.links = {{0, 1, 5, 100, ""}, {1, 0, 5, 100, ""}};
  return problem;
}

std::string Text(const std::vector<Finding>& findings) {
  return absl::StrJoin(
      findings, "\n", [](std::string* out, const Finding& finding) {
        absl::StrAppend(out, RuleName(finding.rule), " ",
                        static_cast<int>(finding.subject.kind), " ",
                        finding.subject.index, ": ", finding.message);
      });
}

std::string Check(const Problem& problem) {
  return Text(CheckProblem(problem));
}

TEST(CheckProblem, AcceptsValidProblems) {
  EXPECT_EQ(Check(TwoLayers()), "");
  for (int seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 random(seed);
    ASSERT_EQ(Check(RandomProblem({}, random)), "") << "seed " << seed;
  }
}

TEST(CheckProblem, WantsLayersDevicesAndMicroBatches) {
  Problem problem;
  problem.micro_batches = 0;
  EXPECT_EQ(Check(problem),
            "no-layers 0 -1: the model has no layers; it needs at least 1\n"
            "no-devices 0 -1: the cluster has no devices; it needs at least 1\n"
            "micro-batch-count 0 -1: the model has 0 micro-batches; it needs "
            "at least 1");
}

TEST(CheckProblem, LimitsWorkItems) {
  Problem problem = TwoLayers();
  // Two stages of three items: 2^26 / 6.
  problem.micro_batches = 11184810;
  EXPECT_EQ(Check(problem), "");
  ++problem.micro_batches;
  EXPECT_EQ(Check(problem),
            "micro-batch-count 0 -1: 11184811 micro-batches of 2 stages are "
            "more work items than the limit of 67108864 and would need 1.5 "
            "GiB; use at most 11184810 micro-batches");
  problem.micro_batches = 1'000'000'000;
  EXPECT_EQ(Check(problem),
            "micro-batch-count 0 -1: 1000000000 micro-batches of 2 stages are "
            "more work items than the limit of 67108864 and would need 134.1 "
            "GiB; use at most 11184810 micro-batches");
  problem.micro_batches = kMost;
  EXPECT_NE(Check(problem), "");
  // More devices than layers make no more stages, and fewer fewer.
  problem.micro_batches = 11184810;
  problem.devices.push_back({"gpu2", "h100", 0, 1000});
  EXPECT_EQ(Check(problem), "");
  problem.layers.pop_back();
  problem.micro_batches *= 2;
  EXPECT_EQ(Check(problem), "");
}

TEST(CheckProblem, WantsDifferentNames) {
  Problem problem = TwoLayers();
  problem.layers[1].name = "a";
  problem.devices[1].name = "gpu0";
  EXPECT_EQ(Check(problem),
            "duplicate-name 1 1: layer 1 \"a\" has the name of layer 0; names "
            "of layers must differ\n"
            "duplicate-name 3 1: device 1 @gpu0 has the name of device 0; "
            "names of devices must differ");
}

// Each field alone, negative, is one finding; zero is none.
TEST(CheckProblem, RefusesNegativeCosts) {
  const std::vector<std::pair<const char*, int64_t* (*)(Problem&)>> fields = {
      {"f_ns", [](Problem& p) { return &p.layers[1].cost.times.f_ns; }},
      {"b_ns", [](Problem& p) { return &p.layers[1].cost.times.b_ns; }},
      {"w_ns", [](Problem& p) { return &p.layers[1].cost.times.w_ns; }},
      {"b_ns",
       [](Problem& p) {
         p.layers[1].cost.times_on = {{"h100", {0, 0, 0}}};
         return &p.layers[1].cost.times_on[0].second.b_ns;
       }},
      {"param_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.param_bytes; }},
      {"grad_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.grad_bytes; }},
      {"optimizer_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.optimizer_bytes; }},
      {"saved_b_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.saved_b_bytes; }},
      {"saved_w_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.saved_w_bytes; }},
      {"f_workspace_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.f_workspace_bytes; }},
      {"b_workspace_bytes",
       [](Problem& p) { return &p.layers[1].cost.memory.b_workspace_bytes; }},
      {"output_bytes", [](Problem& p) { return &p.layers[1].output_bytes; }},
      {"output_grad_bytes",
       [](Problem& p) { return &p.layers[1].output_grad_bytes; }},
      {"launch_overhead_ns", [](Problem& p) { return &p.launch_overhead_ns; }},
      {"tokens_per_micro_batch",
       [](Problem& p) { return &p.tokens_per_micro_batch; }},
      {"memory_bytes", [](Problem& p) { return &p.devices[1].memory_bytes; }},
      {"latency_ns", [](Problem& p) { return &p.links[1].latency_ns; }},
      {"bytes_per_us", [](Problem& p) { return &p.links[1].bytes_per_us; }},
  };
  for (const auto& [name, field] : fields) {
    Problem problem = TwoLayers();
    *field(problem) = 0;
    EXPECT_EQ(Check(problem), "") << name;
    *field(problem) = -1;
    const std::vector<Finding> findings = CheckProblem(problem);
    ASSERT_EQ(findings.size(), 1) << name;
    EXPECT_EQ(findings[0].rule, Rule::kNegativeCost) << name;
    EXPECT_NE(findings[0].message.find(
                  absl::StrCat(" has ", name, " = -1; it must be at least 0")),
              std::string::npos)
        << findings[0].message;
  }
}

TEST(CheckProblem, WantsSortedDeviceKinds) {
  Problem problem = TwoLayers();
  problem.layers[0].cost.times_on = {{"a100", {}}, {"h100", {}}};
  EXPECT_EQ(Check(problem), "");
  problem.layers[0].cost.times_on[0].first = "h100";
  EXPECT_EQ(Check(problem),
            "duplicate-name 1 0: layer 0 \"a\" lists times on device kind "
            "\"h100\" after \"h100\"; kinds must be sorted and differ");
}

TEST(CheckProblem, RefusesSpeedsBelowOne) {
  Problem problem = TwoLayers();
  problem.devices[1].speed_permille = 1;
  EXPECT_EQ(Check(problem), "");
  problem.devices[1].speed_permille = 0;
  EXPECT_EQ(Check(problem),
            "bad-speed 3 1: device 1 @gpu1 has speed_permille = 0; it must be "
            "at least 1 (1000 is normal speed)");
}

TEST(CheckProblem, WantsInputsBelowTheirLayer) {
  Problem problem = TwoLayers();
  problem.layers[1].inputs = {1};
  EXPECT_EQ(Check(problem),
            "cycle 1 1: layer 1 \"b\" has layer 1 as an input; inputs must "
            "stand before their layer, at 0 to 0; list the layers in a "
            "topological order");
  problem.layers[1].inputs = {-1};
  EXPECT_NE(Check(problem), "");
  problem.layers[1].inputs = {0, 0};
  EXPECT_EQ(Check(problem),
            "cycle 1 1: layer 1 \"b\" lists input 0 after input 0; inputs must "
            "be sorted and differ");
}

TEST(CheckProblem, WantsLinksBetweenTwoDevicesOnce) {
  Problem problem = TwoLayers();
  problem.links.push_back({0, 2, 0, 0, ""});
  problem.links.push_back({-1, 0, 0, 0, ""});
  problem.links.push_back({1, 1, 0, 0, ""});
  problem.links.push_back({1, 0, 0, 0, ""});
  EXPECT_EQ(Check(problem),
            "bad-link 4 2: link 2 from device 0 to device 2 names device 2; "
            "the cluster has devices 0 to 1\n"
            "bad-link 4 3: link 3 from device -1 to device 0 names device -1; "
            "the cluster has devices 0 to 1\n"
            "bad-link 4 4: link 4 joins device 1 to itself; a link joins two "
            "devices\n"
            "bad-link 4 5: link 5 from device 1 to device 0 repeats link 1; a "
            "directed pair has at most one link");
}

TEST(CheckProblem, WantsEqualSharedParameters) {
  Problem problem = TwoLayers();
  problem.layers[0].shares = problem.layers[1].shares = "wte";
  problem.layers[0].cost.memory.param_bytes = 7;
  problem.layers[1].cost.memory.param_bytes = 7;
  EXPECT_EQ(Check(problem), "");
  problem.layers[1].cost.memory.param_bytes = 8;
  EXPECT_EQ(Check(problem),
            "shared-parameters 1 1: layer 1 \"b\" has param_bytes = 8, but "
            "shares \"wte\" with layer 0 \"a\", which has 7; layers that share "
            "parameters have equally many");
  problem.layers[1].shares.clear();
  EXPECT_EQ(Check(problem), "");
}

// 4 micro-batches: a quarter of 2^60 is the most that a layer may take.
TEST(CheckProblem, LimitsComputeTime) {
  Problem problem = TwoLayers();
  problem.layers[1].cost.times.f_ns = kMaxTotal / 4 - 3;
  problem.layers[0].cost.times.b_ns = 2;
  problem.layers[0].cost.times.w_ns = 1;
  EXPECT_EQ(Check(problem), "");
  ++problem.layers[0].cost.times.w_ns;
  EXPECT_EQ(Check(problem),
            "overflow 1 1: durations over all layers and 4 micro-batches sum "
            "to more than 1152921504606846976 ns, the limit; layer 1 \"b\" has "
            "the largest part; check its unit and the micro-batches");
}

TEST(CheckProblem, LimitsComputeTimeOfTheSlowest) {
  Problem problem = TwoLayers();
  problem.layers[0].cost.times.f_ns = kMaxTotal / 4000;
  problem.devices[1].speed_permille = 1;
  EXPECT_EQ(Check(problem), "");
  ++problem.layers[0].cost.times.f_ns;
  EXPECT_NE(Check(problem), "");
  problem.layers[0].cost.times = {};
  problem.layers[0].cost.times_on = {{"h100", {0, kMaxTotal / 4, 0}}};
  EXPECT_EQ(Check(problem), "");
  problem.layers[0].cost.times_on[0].second.w_ns = 1;
  EXPECT_NE(Check(problem), "");
}

TEST(CheckProblem, LimitsLaunchOverhead) {
  Problem problem = TwoLayers();
  // Two layers, four micro-batches, four launches of a layer.
  problem.launch_overhead_ns = kMaxTotal / 32;
  EXPECT_EQ(Check(problem), "");
  ++problem.launch_overhead_ns;
  EXPECT_NE(Check(problem), "");
}

TEST(CheckProblem, LimitsTransfers) {
  Problem problem = TwoLayers();
  // 1000 ns for each 100 bytes at 100 bytes a µs, both ways 5 ns late.
  problem.layers[0].output_bytes = kMaxTotal / 40 - 1;
  EXPECT_EQ(Check(problem), "");
  problem.layers[0].output_bytes += 1;
  EXPECT_NE(Check(problem), "");
  // The slowest link counts, and one that costs no bandwidth does not.
  problem.links[0].bytes_per_us = 0;
  EXPECT_NE(Check(problem), "");
  problem.links[0].bytes_per_us = 1000;
  EXPECT_NE(Check(problem), "");
  problem.links[1].bytes_per_us = 1000;
  EXPECT_EQ(Check(problem), "");
  problem = TwoLayers();
  problem.links[0].latency_ns = kMaxTotal / 8;
  EXPECT_EQ(Check(problem), "");
  ++problem.links[0].latency_ns;
  EXPECT_NE(Check(problem), "");
}

TEST(CheckProblem, LimitsBytes) {
  Problem problem = TwoLayers();
  problem.layers[0].cost.memory.saved_b_bytes = kMaxTotal / 4;
  EXPECT_EQ(Check(problem), "");
  problem.layers[1].cost.memory.param_bytes = 1;
  EXPECT_EQ(Check(problem),
            "overflow 1 0: bytes over all layers and 4 micro-batches sum to "
            "more than 1152921504606846976 bytes, the limit; layer 0 \"a\" has "
            "the largest part; check its unit and the micro-batches");
}

TEST(CheckProblem, DoesNotOverflowItself) {
  Problem problem = TwoLayers();
  problem.micro_batches = 11184810;
  problem.launch_overhead_ns = kMost;
  problem.devices[0].speed_permille = 1;
  problem.links[0] = {0, 1, kMost, 1, ""};
  for (Layer& layer : problem.layers) {
    layer.cost.times = {kMost, kMost, kMost};
    layer.cost.times_on = {{"h100", {kMost, kMost, kMost}}};
    layer.cost.memory = {kMost, kMost, kMost, kMost, kMost, kMost, kMost};
    layer.output_bytes = layer.output_grad_bytes = kMost;
  }
  const std::vector<Finding> findings = CheckProblem(problem);
  ASSERT_EQ(findings.size(), 3);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.rule, Rule::kOverflow);
  }
}

TEST(CheckPartition, AcceptsContiguousCovers) {
  EXPECT_EQ(Text(CheckPartition(TwoLayers(), {{0, 2}})), "");
  EXPECT_EQ(Text(CheckPartition(TwoLayers(), {{0, 1, 2}})), "");
}

TEST(CheckPartition, RefusesEverythingElse) {
  const Problem problem = TwoLayers();
  for (const std::vector<int>& begin : {std::vector<int>{}, {0}}) {
    EXPECT_EQ(Text(CheckPartition(problem, {begin})),
              "layers-uncovered 0 -1: the partition has no stages; 2 layers "
              "need at least 1");
  }
  EXPECT_EQ(Text(CheckPartition(problem, {{1, 2}})),
            "layers-uncovered 2 0: stage 0 begins at layer 1; the first stage "
            "must begin at layer 0");
  EXPECT_EQ(Text(CheckPartition(problem, {{0, 1, 3}})),
            "layers-uncovered 2 1: stage 1 ends before layer 3; the last stage "
            "must end with the last of 2 layers");
  EXPECT_EQ(Text(CheckPartition(problem, {{0, 1, 1, 2}})),
            "stage-empty 2 1: stage 1 has no layers: it begins and ends at "
            "layer 1; every stage needs at least 1");
  EXPECT_EQ(Text(CheckPartition(problem, {{0, 2, 1, 2}})),
            "stage-not-contiguous 2 1: stage 1 begins at layer 2 and ends "
            "before layer 1; stages must follow one another");
}

TEST(CheckPartition, LimitsWorkItems) {
  Problem problem = TwoLayers();
  problem.devices.pop_back();
  problem.micro_batches = 22369621;  // 2^26 / 3
  EXPECT_EQ(Check(problem).find("micro-batch-count"), std::string::npos);
  EXPECT_EQ(Text(CheckPartition(problem, {{0, 2}})), "");
  EXPECT_EQ(Text(CheckPartition(problem, {{0, 1, 2}})),
            "micro-batch-count 0 -1: 22369621 micro-batches of 2 stages are "
            "more work items than the limit of 67108864 and would need 2.9 "
            "GiB; use at most 11184810 micro-batches");
}

TEST(CheckPlacement, WantsEveryStageOnADevice) {
  const Problem problem = TwoLayers();
  const Partition partition = {{0, 1, 2}};
  EXPECT_EQ(Text(CheckPlacement(problem, partition, {{1, 1}})), "");
  EXPECT_EQ(Text(CheckPlacement(problem, partition, {{-1}})),
            "stage-without-device 2 0: stage 0 is on no device; place it on "
            "one of devices 0 to 1\n"
            "stage-without-device 2 1: stage 1 is on no device; place it on "
            "one of devices 0 to 1");
  EXPECT_EQ(Text(CheckPlacement(problem, partition, {{2, 0}})),
            "unknown-device 2 0: stage 0 is on device 2; the cluster has "
            "devices 0 to 1");
  EXPECT_EQ(Text(CheckPlacement(problem, partition, {{0, 0, 0}})),
            "stage-without-device 0 -1: the placement has 3 stages; the "
            "partition has 2");
}

}  // namespace
}  // namespace octopipe
