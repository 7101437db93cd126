#include "compiler/bounds/device_weights.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace octopipe {
namespace {

constexpr int64_t kLargestWeight = 1 << 20;
constexpr int kRounds = 64;

// Devices on which every layer takes the same. By symmetry and concavity some
// best weights are equal within a class.
struct DeviceClass {
  int example = 0;
  std::vector<int> devices;
};

std::vector<DeviceClass> Classify(const LayerDeviceTimes& times) {
  std::vector<DeviceClass> classes;
  for (int d = 0; d < static_cast<int>(times[0].size()); ++d) {
    auto same = [&](const DeviceClass& c) {
      return std::all_of(times.begin(), times.end(), [&](const auto& layer) {
        return layer[c.example] == layer[d];
      });
    };
    auto found = std::find_if(classes.begin(), classes.end(), same);
    if (found == classes.end()) found = classes.insert(found, {d, {}});
    found->devices.push_back(d);
  }
  return classes;
}

// A weight for each class, and what follows from it.
struct Trial {
  std::vector<int64_t> weight;
  std::vector<absl::int128> load;  // of the class, each layer where it is cheap
  absl::int128 work = 0;
  absl::int128 weights = 0;  // of all devices
};

void Weigh(const LayerDeviceTimes& times,
           const std::vector<DeviceClass>& classes, Trial& trial) {
  const int count = static_cast<int>(classes.size());
  trial.load.assign(count, 0);
  trial.work = 0;
  trial.weights = 0;
  for (int c = 0; c < count; ++c) {
    trial.weights += absl::int128(trial.weight[c]) *
                     static_cast<int64_t>(classes[c].devices.size());
  }
  for (const std::vector<Nanos>& layer : times) {
    int cheapest = 0;
    auto cost = [&](int c) {
      return absl::int128(trial.weight[c]) * layer[classes[c].example];
    };
    for (int c = 1; c < count; ++c) {
      if (cost(c) < cost(cheapest)) cheapest = c;
    }
    trial.load[cheapest] += layer[classes[cheapest].example];
    trial.work += cost(cheapest);
  }
}

// Larger weights where the load of a device is above the bound.
void Step(const std::vector<DeviceClass>& classes, int round, Trial& trial) {
  const absl::int128 bound = trial.work / trial.weights;
  if (bound == 0) return;
  int64_t largest = 0;
  for (size_t c = 0; c < classes.size(); ++c) {
    const absl::int128 load =
        trial.load[c] / static_cast<int64_t>(classes[c].devices.size());
    const absl::int128 over =
        std::clamp(load - bound, -bound / 2, bound) * trial.weight[c] / bound;
    trial.weight[c] += static_cast<int64_t>(over) / (2 + round / 2);
    trial.weight[c] = std::max<int64_t>(trial.weight[c], 1);
    largest = std::max(largest, trial.weight[c]);
  }
  for (int64_t& weight : trial.weight) {
    weight = std::max<int64_t>(weight * kLargestWeight / largest, 1);
  }
}

}  // namespace

DeviceWeights ChooseWeights(const LayerDeviceTimes& times) {
  const std::vector<DeviceClass> classes = Classify(times);
  std::vector<Nanos> totals;
  for (const DeviceClass& c : classes) {
    Nanos total = 0;
    for (const auto& layer : times) total += layer[c.example];
    totals.push_back(std::max<Nanos>(total, 1));
  }
  const Nanos least = *std::min_element(totals.begin(), totals.end());
  Trial trial;
  for (Nanos total : totals) {
    const absl::int128 weight = absl::int128(kLargestWeight) * least / total;
    trial.weight.push_back(std::max<int64_t>(static_cast<int64_t>(weight), 1));
  }
  Weigh(times, classes, trial);
  Trial best = trial;
  for (int round = 0; classes.size() > 1 && round < kRounds; ++round) {
    Step(classes, round, trial);
    Weigh(times, classes, trial);
    // work / weights, without the division.
    if (trial.work * best.weights > best.work * trial.weights) best = trial;
  }
  DeviceWeights weights;
  weights.work = best.work;
  weights.of_device.resize(times[0].size());
  for (size_t c = 0; c < classes.size(); ++c) {
    for (int d : classes[c].devices) weights.of_device[d] = best.weight[c];
  }
  return weights;
}

}  // namespace octopipe
