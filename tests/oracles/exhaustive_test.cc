// Tiny problems, solved by trying every partition, placement and order.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/memory_fit.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"
#include "tests/oracles/order_enumerator.h"

namespace octopipe {
namespace {

struct Shape {
  int max_layers;
  int max_devices;
  int max_micro_batches;
};

class RandomProblem {
 public:
  explicit RandomProblem(uint64_t seed) : random_(seed) {}

  // Every third has devices with little memory.
  Problem Make(const Shape& shape) {
    Problem problem = MakeUnlimited(shape);
    if (Below(3) == 0) LimitMemory(problem);
    return problem;
  }

  Problem MakeUnlimited(const Shape& shape) {
    Problem problem;
    const int layers = 1 + Below(shape.max_layers);
    const int devices = 1 + Below(shape.max_devices);
    problem.micro_batches = 1 + Below(shape.max_micro_batches);
    if (Below(3) == 0) problem.launch_overhead_ns = Below(4);
    // Half of the problems are plain: a chain on equal devices.
    const bool plain = Below(2) == 0;
    for (int l = 0; l < layers; ++l) {
      problem.layers.push_back(MakeLayer(l, plain));
    }
    for (int d = 0; d < devices; ++d) {
      Device device{absl::StrCat("gpu", d), "a"};
      if (!plain && Below(2) == 0) device.speed_permille = 500 + Below(1500);
      if (!plain && Below(2) == 0) device.kind = "b";
      problem.devices.push_back(device);
    }
    if (devices > 1 && Below(3) == 0) {
      problem.links.push_back({0, 1, Below(4), Below(3) * 1000, ""});
      problem.links.push_back({1, 0, Below(4), Below(3) * 1000, ""});
    }
    return problem;
  }

 private:
  int64_t Below(int64_t bound) { return random_() % bound; }

  LayerTimes MakeTimes() { return {Below(10), Below(10), Below(10)}; }

  Layer MakeLayer(int l, bool plain) {
    Layer layer;
    layer.name = absl::StrCat("l", l);
    layer.cost.times = MakeTimes();
    layer.output_bytes = Below(4);
    layer.output_grad_bytes = Below(4);
    if (l > 0) layer.inputs = {l - 1};
    layer.cost.splittable = Below(3) != 0;
    if (plain) return layer;
    if (Below(2) == 0) layer.cost.times_on = {{"b", MakeTimes()}};
    layer.needs_grad = Below(4) != 0;
    if (l > 0 && Below(3) == 0) layer.inputs.clear();
    if (l > 1 && Below(2) == 0) layer.inputs.insert(layer.inputs.begin(), 0);
    return layer;
  }

  void LimitMemory(Problem& problem) {
    Bytes bytes = 0;
    for (Layer& layer : problem.layers) {
      LayerMemory& memory = layer.cost.memory;
      if (Below(2) == 0) memory.param_bytes = Below(4);
      memory.saved_b_bytes = Below(3);
      memory.saved_w_bytes = Below(3);
      if (Below(4) == 0) memory.f_workspace_bytes = Below(3);
      if (Below(4) == 0) memory.b_workspace_bytes = Below(3);
      if (Below(4) == 0) {
        layer.shares = "tied";
        memory.param_bytes = 2;
      }
      bytes +=
          memory.param_bytes +
          problem.micro_batches * (memory.saved_b_bytes + memory.saved_w_bytes);
    }
    const Bytes each = 1 + Below(bytes + 1);
    for (Device& device : problem.devices) {
      device.memory_bytes = Below(4) == 0 ? Below(bytes + 1) : each;
    }
  }

  std::mt19937_64 random_;
};

// Every partition of the layers with every placement.
void ForEachTable(const Problem& problem,
                  const std::function<void(const StageTable&)>& visit) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  for (int cuts = 0; cuts < 1 << (layers - 1); ++cuts) {
    Partition partition;
    for (int l = 1; l < layers; ++l) {
      if (cuts >> (l - 1) & 1) partition.begin.push_back(l);
    }
    partition.begin.push_back(layers);
    Placement placement{std::vector<int>(partition.stages(), 0)};
    while (true) {
      visit(BuildStageTable(problem, partition, placement));
      size_t s = 0;
      while (s < placement.device.size() && ++placement.device[s] == devices) {
        placement.device[s++] = 0;
      }
      if (s == placement.device.size()) break;
    }
  }
}

std::string Describe(const Problem& problem) {
  std::string text = absl::StrCat(problem.micro_batches, " micro-batches, ",
                                  problem.launch_overhead_ns, " ns a launch");
  for (const Layer& layer : problem.layers) {
    const LayerTimes& times = layer.cost.times;
    absl::StrAppend(
        &text, "; ", times.f_ns, "/", times.b_ns, "/", times.w_ns,
        layer.cost.splittable ? "" : " whole",
        layer.needs_grad ? "" : " no-grad", " ", layer.cost.memory.param_bytes,
        "+", layer.cost.memory.saved_b_bytes, "+",
        layer.cost.memory.saved_w_bytes, " ", layer.shares, " from");
    for (int input : layer.inputs) absl::StrAppend(&text, " ", input);
    for (const auto& [kind, on] : layer.cost.times_on) {
      absl::StrAppend(&text, " ", kind, ": ", on.f_ns, "/", on.b_ns, "/",
                      on.w_ns);
    }
  }
  for (const Device& device : problem.devices) {
    absl::StrAppend(&text, "; ", device.kind, " at ", device.speed_permille,
                    " with ", device.memory_bytes);
  }
  return absl::StrCat(text, "; ", problem.links.size(), " links");
}

TEST(Exhaustive, NoPlanBeatsABound) {
  constexpr Shape kShapes[] = {{4, 2, 1}, {4, 3, 1}, {3, 3, 2}, {3, 2, 2},
                               {2, 2, 3}, {2, 4, 2}, {1, 2, 4}};
  constexpr int kRounds = 6000;
  int attained = 0;
  int plannable = 0;
  int by_memory = 0;  // attained by no other bound
  int proved_unplannable = 0;
  std::vector<int> attained_by(6, 0);
  for (int seed = 0; seed < kRounds; ++seed) {
    const Problem problem =
        RandomProblem(seed).Make(kShapes[seed % std::size(kShapes)]);
    ASSERT_TRUE(CheckProblem(problem).empty()) << Describe(problem);
    Nanos least = std::numeric_limits<Nanos>::max();
    ForEachTable(problem, [&](const StageTable& table) {
      least = LeastMakespan(table, least);
    });
    const std::vector<Bound> bounds = AllBounds(problem);
    // Nothing fits: every bound holds.
    if (least == std::numeric_limits<Nanos>::max()) {
      EXPECT_TRUE(HasMemoryLimit(problem)) << Describe(problem);
      proved_unplannable += WhyNothingFits(problem).has_value();
      continue;
    }
    EXPECT_EQ(WhyNothingFits(problem), std::nullopt) << Describe(problem);
    ++plannable;
    for (const Bound& bound : bounds) {
      EXPECT_LE(bound.ns, least)
          << BoundKindName(bound.kind) << ": " << bound.certificate << "\n"
          << "seed " << seed << ": " << Describe(problem);
      attained_by[static_cast<int>(bound.kind)] += bound.ns == least;
    }
    const Bound* best = LargestBound(bounds);
    attained += best->ns == least;
    by_memory += best->kind == BoundKind::kMemory && best->ns == least;
  }
  // A claim that is any stronger would be wrong, and not by chance.
  for (int count : attained_by) EXPECT_GT(count, 100);
  EXPECT_GT(plannable, kRounds * 3 / 4);
  EXPECT_GT(attained, plannable * 3 / 4);
  EXPECT_GT(by_memory, 10);
  EXPECT_GT(proved_unplannable, (kRounds - plannable) / 2);
  RecordProperty("attained", attained);
}

TEST(Exhaustive, EveryOrderTakesWhatTheSimulatorSays) {
  int64_t orders = 0;
  for (int seed = 0; seed < 100; ++seed) {
    const Problem problem = RandomProblem(seed).MakeUnlimited(
        seed % 2 == 0 ? Shape{2, 2, 2} : Shape{3, 3, 1});
    ForEachTable(problem, [&](const StageTable& table) {
      int64_t of_table = 0;
      ForEachOrder(table, [&](const Order& order, const Timeline& timeline) {
        const auto evaluated = EvaluateOrder(table, order);
        if (!evaluated.ok() || evaluated->makespan_ns != timeline.makespan_ns ||
            evaluated->start_ns != timeline.start_ns) {
          ADD_FAILURE() << "seed " << seed << ": " << Describe(problem) << "\n"
                        << evaluated.status();
          return false;
        }
        return ++of_table < 20000;
      });
      EXPECT_GT(of_table, 0);
      orders += of_table;
    });
  }
  EXPECT_GT(orders, 100000);
  RecordProperty("orders", static_cast<int>(orders));
}

}  // namespace
}  // namespace octopipe
