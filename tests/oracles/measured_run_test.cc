// A real 1F1B run on 8 GPUs against the simulator: from the order and the
// median durations of each rank alone it must predict the iteration and the
// memory.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace octopipe {
namespace {

using Json = nlohmann::json;

constexpr int kRanks = 8;

Json LoadRun() {
  std::ifstream file("tests/data/measured/8gpu-1f1b.json");
  return Json::parse(file, nullptr, /*allow_exceptions=*/false);
}

Nanos MedianDuration(const Json& starts, const Json& ends) {
  std::vector<double> ms;
  for (size_t i = 0; i < starts.size(); ++i) {
    ms.push_back(ends[i].get<double>() - starts[i].get<double>());
  }
  std::sort(ms.begin(), ms.end());
  const double median = (ms[ms.size() / 2] + ms[(ms.size() - 1) / 2]) / 2;
  return std::llround(median * 1e6);
}

// The items of one rank in the order in which they were measured to start. A
// 1F1B rank runs the micro-batches of each kind in ascending order.
std::vector<WorkItem> MeasuredProgram(const Json& rank, int stage) {
  std::vector<std::pair<double, WorkItem>> items;
  const Json& forward = rank["fwd_start"];
  const Json& backward = rank["bwd_start"];
  for (size_t m = 0; m < forward.size(); ++m) {
    items.push_back({forward[m].get<double>(), Forward(stage, m)});
    items.push_back({backward[m].get<double>(), Backward(stage, m)});
  }
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<WorkItem> program;
  for (const auto& [start, item] : items) program.push_back(item);
  return program;
}

struct Iteration {
  Problem problem;
  Plan plan;
  double measured_ms = 0;
  std::vector<double> memory_gb;
};

// One layer, stage and device a rank. Every micro-batch holds
// `activation_bytes` on every rank.
Iteration ReadIteration(const Json& run, const std::string& iteration,
                        Bytes activation_bytes) {
  Iteration result;
  Problem& problem = result.problem;
  problem.micro_batches = run["config"]["num_mbs"].get<int64_t>();
  for (int r = 0; r < kRanks; ++r) {
    const Json& rank = run["ranks"][r][iteration];
    Layer layer;
    layer.name = "rank" + std::to_string(r);
    layer.cost.times.f_ns = MedianDuration(rank["fwd_start"], rank["fwd_end"]);
    layer.cost.times.b_ns = MedianDuration(rank["bwd_start"], rank["bwd_end"]);
    layer.cost.memory.saved_w_bytes = activation_bytes;
    if (r > 0) layer.inputs = {r - 1};
    problem.layers.push_back(layer);
    problem.devices.push_back({"gpu" + std::to_string(r), "gpu", 0, 1000});
    result.plan.partition.begin.push_back(r + 1);
    result.plan.placement.device.push_back(r);
    result.plan.order.programs.push_back(MeasuredProgram(rank, r));
    result.measured_ms =
        std::max(result.measured_ms, rank["bwd_end"].back().get<double>());
    result.memory_gb.push_back(rank["memory"].get<double>());
  }
  return result;
}

class MeasuredRun : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredRun, PredictsTheIterationWithinThreePercent) {
  const Json json = LoadRun();
  ASSERT_FALSE(json.is_discarded());
  const Iteration run = ReadIteration(json, GetParam(), 0);
  ASSERT_TRUE(VerifyPlan(run.problem, run.plan).empty());
  const StageTable table =
      BuildStageTable(run.problem, run.plan.partition, run.plan.placement);
  const absl::StatusOr<Timeline> timeline =
      EvaluateOrder(table, run.plan.order);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const double predicted_ms = timeline->makespan_ns / 1e6;
  EXPECT_NEAR(predicted_ms, run.measured_ms, 0.03 * run.measured_ms);
}

// Ranks 1 to 6 hold the same layers, so their memory differs by activations in
// flight alone: from the two outermost of them the simulator must predict those
// between. (Ranks 0 and 7 also hold the embedding and the head.)
TEST_P(MeasuredRun, PredictsMemoryDifferencesWithinThreePercent) {
  const Json json = LoadRun();
  ASSERT_FALSE(json.is_discarded());
  const Iteration run = ReadIteration(json, GetParam(), 1);
  const StageTable table =
      BuildStageTable(run.problem, run.plan.partition, run.plan.placement);
  const absl::StatusOr<Metrics> metrics = EvaluatePlan(table, run.plan.order);
  ASSERT_TRUE(metrics.ok()) << metrics.status();
  const auto in_flight = [&](int r) { return metrics->devices[r].peak_bytes; };
  const double gb_per_micro_batch =
      (run.memory_gb[1] - run.memory_gb[6]) / (in_flight(1) - in_flight(6));
  for (int r = 2; r <= 5; ++r) {
    const double predicted = gb_per_micro_batch * (in_flight(1) - in_flight(r));
    const double measured = run.memory_gb[1] - run.memory_gb[r];
    EXPECT_NEAR(predicted, measured, 0.03 * measured) << "rank " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Iterations, MeasuredRun,
                         testing::Values("7", "12", "20"));

}  // namespace
}  // namespace octopipe
