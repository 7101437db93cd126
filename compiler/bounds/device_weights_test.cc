#include "compiler/bounds/device_weights.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

absl::int128 SumOf(const DeviceWeights& weights) {
  return std::accumulate(weights.of_device.begin(), weights.of_device.end(),
                         absl::int128(0));
}

TEST(ChooseWeights, SpreadsEvenlyOverEqualDevices) {
  const DeviceWeights weights = ChooseWeights({{5, 5, 5}, {7, 7, 7}});
  // 12 of work over 3 devices: 4 each, exactly.
  EXPECT_EQ(weights.work, SumOf(weights) * 4);
}

TEST(ChooseWeights, FollowsSpeed) {
  // Twice as fast, so two thirds of 12 on the fast one: 4 of its time.
  const DeviceWeights weights = ChooseWeights({{10, 5}, {14, 7}});
  EXPECT_EQ(weights.of_device[1], 2 * weights.of_device[0]);
  EXPECT_EQ(weights.work, SumOf(weights) * 8);
}

// Each device is good at one kind of layer; the whole model takes as long on
// either, and the relaxation places each kind where it belongs.
TEST(ChooseWeights, SeesWhereEachLayerBelongs) {
  const DeviceWeights weights = ChooseWeights({{10, 90}, {90, 10}});
  EXPECT_EQ(weights.work, SumOf(weights) * 10);
}

// 30 of work that only the first device does well: 30 there, or part of it
// elsewhere at 10 times the time. T = 30 − x, T = 10 x: x = 30 / 11.
TEST(ChooseWeights, ImprovesOnWholeModelRatios) {
  const DeviceWeights weights =
      ChooseWeights({{10, 100}, {10, 100}, {10, 100}, {1000, 10}});
  const absl::int128 thousandths = weights.work * 1000 / SumOf(weights);
  EXPECT_GE(thousandths, 27000);
  EXPECT_LE(thousandths, 28182);  // (30 + 1) · 10 / 11
}

// The dual is below every placement.
TEST(ChooseWeights, NeverExceedsAnyPlacement) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const int devices = 1 + random() % 3;
    LayerDeviceTimes times(1 + random() % 5);
    for (auto& layer : times) {
      for (int d = 0; d < devices; ++d) layer.push_back(random() % 50);
    }
    const DeviceWeights weights = ChooseWeights(times);
    std::vector<int> device_of(times.size(), 0);
    while (true) {
      std::vector<Nanos> loads(devices, 0);
      for (size_t l = 0; l < times.size(); ++l) {
        loads[device_of[l]] += times[l][device_of[l]];
      }
      absl::int128 weighed = 0;
      for (int d = 0; d < devices; ++d) {
        weighed += absl::int128(weights.of_device[d]) * loads[d];
      }
      ASSERT_LE(weights.work, weighed);
      size_t l = 0;
      while (l < device_of.size() && ++device_of[l] == devices) {
        device_of[l++] = 0;
      }
      if (l == device_of.size()) break;
    }
  }
}

}  // namespace
}  // namespace octopipe
