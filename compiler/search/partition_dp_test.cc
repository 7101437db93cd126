#include "compiler/search/partition_dp.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/schedule/stage_table.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

Problem Layers(const std::vector<Nanos>& loads, int devices = 1) {
  Problem problem;
  for (size_t l = 0; l < loads.size(); ++l) {
    Layer layer;
    layer.name = absl::StrCat("l", l);
    layer.cost.times = {loads[l] / 3, loads[l] / 3,
                        loads[l] - loads[l] / 3 * 2};
    if (l > 0) layer.inputs = {static_cast<int>(l) - 1};
    problem.layers.push_back(layer);
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "h100"});
  }
  return problem;
}

Placement OnOne(int stages) { return {std::vector<int>(stages, 0)}; }

std::vector<Nanos> Loads(const Problem& problem, const Partition& cut,
                         const Placement& placement) {
  std::vector<Nanos> loads;
  for (int s = 0; s < cut.stages(); ++s) {
    loads.push_back(0);
    for (int l = cut.begin[s]; l < cut.begin[s + 1]; ++l) {
      const LayerTimes times =
          TimesOn(problem.layers[l].cost, problem.devices[placement.device[s]]);
      loads.back() += times.f_ns + times.b_ns + times.w_ns;
    }
  }
  return loads;
}

// Calls `visit` with every cut into `stages`.
void ForEachCut(int layers, int stages,
                const std::function<void(const Partition&)>& visit) {
  Partition cut;
  std::function<void()> extend = [&] {
    if (cut.stages() == stages - 1) {
      cut.begin.push_back(layers);
      visit(cut);
      cut.begin.pop_back();
      return;
    }
    for (int b = cut.begin.back() + 1; b < layers; ++b) {
      cut.begin.push_back(b);
      extend();
      cut.begin.pop_back();
    }
  };
  extend();
}

// By definition, layer by layer.
bool FitsOneMicroBatch(const Problem& problem, const Partition& cut,
                       const Placement& placement) {
  for (int d = 0; d < static_cast<int>(problem.devices.size()); ++d) {
    Bytes bytes = 0;
    std::vector<std::string> held;
    for (int s = 0; s < cut.stages(); ++s) {
      if (placement.device[s] != d) continue;
      for (int l = cut.begin[s]; l < cut.begin[s + 1]; ++l) {
        const Layer& layer = problem.layers[l];
        bytes +=
            layer.cost.memory.saved_b_bytes + layer.cost.memory.saved_w_bytes;
        if (std::count(held.begin(), held.end(), layer.shares) > 0) continue;
        if (!layer.shares.empty()) held.push_back(layer.shares);
        bytes += layer.cost.memory.param_bytes + layer.cost.memory.grad_bytes +
                 layer.cost.memory.optimizer_bytes;
      }
    }
    const Bytes memory = problem.devices[d].memory_bytes;
    if (memory > 0 && bytes > memory) return false;
  }
  return true;
}

using Key = std::tuple<Nanos, Nanos, std::vector<int>>;

// What the DP minimises: the largest load (0 if it does not count), the squared
// loads, and the last boundaries.
Key KeyOf(const Problem& problem, const Partition& cut,
          const Placement& placement, bool largest_counts) {
  Nanos largest = 0, squares = 0;
  for (Nanos load : Loads(problem, cut, placement)) {
    largest = std::max(largest, load);
    squares += load * load;
  }
  return {largest_counts ? largest : 0, squares,
          std::vector<int>(cut.begin.rbegin(), cut.begin.rend())};
}

std::optional<Partition> BestByTrial(const Problem& problem, int stages,
                                     const Placement& placement,
                                     bool largest_counts) {
  std::optional<Partition> best;
  ForEachCut(problem.layers.size(), stages, [&](const Partition& cut) {
    if (!FitsOneMicroBatch(problem, cut, placement)) return;
    if (!best || KeyOf(problem, cut, placement, largest_counts) <
                     KeyOf(problem, *best, placement, largest_counts)) {
      best = cut;
    }
  });
  return best;
}

Problem RandomProblem(std::mt19937_64& random, bool limited) {
  auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % bound);
  };
  std::vector<Nanos> loads(1 + below(8));
  for (Nanos& load : loads) load = below(20);
  Problem problem = Layers(loads, 1 + below(4));
  for (Layer& layer : problem.layers) {
    layer.cost.memory.param_bytes = below(4);
    layer.cost.memory.optimizer_bytes = below(4);
    layer.cost.memory.saved_b_bytes = below(4);
    layer.cost.memory.saved_w_bytes = below(4);
    if (below(4) == 0) {
      layer.shares = "tied";
      layer.cost.memory.param_bytes = 5;
      layer.cost.memory.optimizer_bytes = 2;
    }
  }
  for (Device& device : problem.devices) {
    device.speed_permille = below(2) == 0 ? 1000 : 500 + below(1000);
    if (limited && below(3) != 0) device.memory_bytes = 6 + below(24);
  }
  return problem;
}

TEST(PartitionEven, GivesTheFirstStagesOneMore) {
  const auto cut = PartitionEven(Layers({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), 4);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 3, 6, 8, 10}));
}

TEST(PartitionEven, CountsBlocksAlone) {
  Problem problem = Layers(std::vector<Nanos>(9, 1));
  problem.layers[0].cost.role = LayerRole::kEmbedding;
  // A second tower begins with an embedding of its own.
  problem.layers[3].cost.role = LayerRole::kEmbedding;
  problem.layers[8].cost.role = LayerRole::kHead;
  auto cut = PartitionEven(problem, 3);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 3, 6, 9}));
  cut = PartitionEven(problem, 6);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 2, 3, 5, 6, 7, 9}));
  EXPECT_EQ(PartitionEven(problem, 7).status().message(),
            "cannot form 7 stages from 6 blocks; choose from 1 to 6");
}

TEST(PartitionEven, AcceptsAModelWithoutBlocks) {
  Problem problem = Layers({1, 2});
  problem.layers[0].cost.role = LayerRole::kEmbedding;
  problem.layers[1].cost.role = LayerRole::kHead;
  const auto cut = PartitionEven(problem, 1);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 2}));
  EXPECT_FALSE(PartitionEven(problem, 2).ok());
}

// 9.5, 8.0 and 8.0 ms.
TEST(PartitionMinMax, CutsTheHybridSample) {
  const Problem problem =
      Layers({1000, 3300, 1900, 3300, 4700, 3300, 2000, 6000});
  const auto cut = PartitionMinMax(problem, 3, OnOne(3));
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 4, 6, 8}));
}

TEST(PartitionMinMax, PrefersLevelLoadsAmongEqualOptima) {
  // The last stage is the largest whatever comes before.
  const auto cut = PartitionMinMax(Layers({2, 2, 2, 2, 9}), 3, OnOne(3));
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->begin, (std::vector<int>{0, 2, 4, 5}));
}

TEST(PartitionMinMax, NamesBothNumbers) {
  const Problem problem = Layers({1, 1});
  for (int stages : {-1, 0, 3}) {
    const absl::Status status =
        PartitionMinMax(problem, stages, OnOne(std::max(stages, 0))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat("cannot form ", stages,
                           " stages from 2 layers; choose from 1 to 2"));
  }
}

TEST(PartitionMinMax, RefusesAPlacementThatDoesNotFit) {
  const Problem problem = Layers({1, 1, 1});
  EXPECT_EQ(PartitionMinMax(problem, 2, OnOne(3)).status().message(),
            "the placement has 3 stages, the partition is to have 2");
  EXPECT_EQ(PartitionMinMax(problem, 2, {{0, 1}}).status().message(),
            "stage 1 is on device 1; devices are 0 to 0");
}

TEST(PartitionMinMax, NamesTheDeviceAndTheBytesOver) {
  Problem problem = Layers({4, 4, 4}, 2);
  for (Layer& layer : problem.layers) layer.cost.memory.param_bytes = 1024;
  problem.devices[0].memory_bytes = 1024;
  problem.devices[1].memory_bytes = 1024;
  const absl::Status status = PartitionMinMax(problem, 2, {{0, 1}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "device 'gpu1' needs 2 KiB for its stages and one micro-batch, "
            "1 KiB over its 1 KiB; no cut into 2 stages fits; use more "
            "devices or another placement");
  EXPECT_EQ(*SubjectOf(status), (Subject{SubjectKind::kDevice, 1}));
}

TEST(PartitionDp, EqualsTrialOfEveryCut) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Problem problem = RandomProblem(random, /*limited=*/false);
    const int stages = 1 + random() % problem.layers.size();
    Placement placement;
    for (int s = 0; s < stages; ++s) {
      placement.device.push_back(random() % problem.devices.size());
    }
    const auto largest = PartitionMinMax(problem, stages, placement);
    ASSERT_TRUE(largest.ok()) << largest.status();
    EXPECT_EQ(*largest, *BestByTrial(problem, stages, placement, true));
    const auto squares = PartitionMinVariance(problem, stages, placement);
    ASSERT_TRUE(squares.ok()) << squares.status();
    EXPECT_EQ(*squares, *BestByTrial(problem, stages, placement, false));
  }
}

TEST(PartitionDp, KeepsMemoryExactlyWithOneStageADevice) {
  std::mt19937_64 random(2);
  int bound = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    Problem problem = RandomProblem(random, /*limited=*/true);
    const int stages = std::min(problem.layers.size(), problem.devices.size());
    Placement placement;
    for (int s = 0; s < stages; ++s) placement.device.push_back(s);
    std::shuffle(placement.device.begin(), placement.device.end(), random);
    const auto best = BestByTrial(problem, stages, placement, true);
    const auto cut = PartitionMinMax(problem, stages, placement);
    ASSERT_EQ(cut.ok(), best.has_value()) << cut.status();
    if (!cut.ok()) {
      ++refused;
      EXPECT_EQ(cut.status().code(), absl::StatusCode::kResourceExhausted);
      continue;
    }
    EXPECT_EQ(*cut, *best);
    for (Device& device : problem.devices) device.memory_bytes = 0;
    bound += !(*cut == *PartitionMinMax(problem, stages, placement));
  }
  EXPECT_GT(bound, 100);
  EXPECT_GT(refused, 100);
}

// With several stages a device: never over memory, a proof of refusal is one,
// and few feasible instances are missed.
TEST(PartitionDp, KeepsMemoryWithSeveralStagesADevice) {
  std::mt19937_64 random(3);
  int found = 0, missed = 0;
  for (int round = 0; round < 3000; ++round) {
    const Problem problem = RandomProblem(random, /*limited=*/true);
    const int stages = 1 + random() % problem.layers.size();
    Placement placement;
    for (int s = 0; s < stages; ++s) {
      placement.device.push_back(s % problem.devices.size());
    }
    const auto best = BestByTrial(problem, stages, placement, false);
    const auto cut = PartitionMinVariance(problem, stages, placement);
    if (cut.ok()) {
      ++found;
      EXPECT_TRUE(FitsOneMicroBatch(problem, *cut, placement));
    } else if (best) {
      ++missed;
      EXPECT_NE(cut.status().message().find("though there may be one"),
                std::string::npos);
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_LT(missed * 20, found);
}

}  // namespace
}  // namespace octopipe
