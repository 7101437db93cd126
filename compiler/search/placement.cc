#include "compiler/search/placement.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/stage_memory.h"

namespace octopipe {
namespace {

// What each stage takes on each device for one micro-batch.
std::vector<std::vector<Nanos>> StageLoads(const Problem& problem,
                                           const Partition& partition) {
  // A forward and a whole backward at least.
  const Nanos overhead = 2 * problem.launch_overhead_ns;
  std::vector<std::vector<Nanos>> loads(partition.stages());
  for (int s = 0; s < partition.stages(); ++s) {
    for (const Device& device : problem.devices) {
      Nanos load = overhead;
      for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
        const LayerTimes times = TimesOn(problem.layers[l].cost, device);
        load += times.f_ns + times.b_ns + times.w_ns;
      }
      loads[s].push_back(load);
    }
  }
  return loads;
}

class Balancer {
 public:
  Balancer(const Problem& problem, const Partition& partition)
      : devices_(static_cast<int>(problem.devices.size())),
        loads_(StageLoads(problem, partition)),
        bytes_(StageBytes(problem, partition)),
        device_of_(partition.stages(), -1),
        load_(devices_, 0),
        used_(devices_, 0) {
    for (const Device& device : problem.devices) {
      memory_.push_back(device.memory_bytes);
    }
  }

  void PlaceLongestFirst() {
    std::vector<int> order(loads_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return *std::min_element(loads_[a].begin(), loads_[a].end()) >
             *std::min_element(loads_[b].begin(), loads_[b].end());
    });
    for (int s : order) {
      int best = 0;
      for (int d = 1; d < devices_; ++d) {
        if (Cost(s, d) < Cost(s, best)) best = d;
      }
      Put(s, best);
    }
  }

  // Moves a stage off the most loaded device, or swaps it for another one, in
  // the way that leaves the larger of the two loads least; false if none lowers
  // it.
  bool Improve() {
    const int from = static_cast<int>(
        std::max_element(load_.begin(), load_.end()) - load_.begin());
    Nanos best = load_[from];
    int best_stage = -1, best_device = -1, best_swap = -1;
    for (int s = 0; s < stages(); ++s) {
      if (device_of_[s] != from) continue;
      for (int to = 0; to < devices_; ++to) {
        if (to == from || !Fits(to, bytes_[s])) continue;
        const Nanos larger =
            std::max(load_[from] - loads_[s][from], load_[to] + loads_[s][to]);
        if (larger >= best) continue;
        std::tie(best, best_stage, best_device, best_swap) =
            std::tuple(larger, s, to, -1);
      }
      for (int t = 0; t < stages(); ++t) {
        const int to = device_of_[t];
        if (to == from || !Fits(to, bytes_[s] - bytes_[t]) ||
            !Fits(from, bytes_[t] - bytes_[s])) {
          continue;
        }
        const Nanos larger =
            std::max(load_[from] - loads_[s][from] + loads_[t][from],
                     load_[to] - loads_[t][to] + loads_[s][to]);
        if (larger >= best) continue;
        std::tie(best, best_stage, best_device, best_swap) =
            std::tuple(larger, s, to, t);
      }
    }
    if (best_stage < 0) return false;
    Take(best_stage);
    if (best_swap >= 0) {
      Take(best_swap);
      Put(best_swap, from);
    }
    Put(best_stage, best_device);
    return true;
  }

  std::vector<int> TakeDevices() { return std::move(device_of_); }

 private:
  int stages() const { return static_cast<int>(loads_.size()); }

  // A device that is over its memory already may not get worse.
  bool Fits(int device, Bytes more) const {
    return memory_[device] == 0 || more <= 0 ||
           used_[device] + more <= memory_[device];
  }
  std::tuple<bool, Nanos, int> Cost(int s, int d) const {
    return {!Fits(d, bytes_[s]), load_[d] + loads_[s][d], d};
  }
  void Put(int s, int d) {
    device_of_[s] = d;
    load_[d] += loads_[s][d];
    used_[d] += bytes_[s];
  }
  void Take(int s) {
    load_[device_of_[s]] -= loads_[s][device_of_[s]];
    used_[device_of_[s]] -= bytes_[s];
  }

  int devices_;
  std::vector<std::vector<Nanos>> loads_;  // [stage][device]
  std::vector<Bytes> bytes_;
  std::vector<int> device_of_;
  std::vector<Nanos> load_;
  std::vector<Bytes> used_;
  std::vector<Bytes> memory_;
};

}  // namespace

Placement BalancedPlacement(const Problem& problem,
                            const Partition& partition) {
  Balancer balancer(problem, partition);
  balancer.PlaceLongestFirst();
  while (balancer.Improve()) {
  }
  return {balancer.TakeDevices()};
}

}  // namespace octopipe
