// Work: a device can do no more than the makespan's worth of it.
//
// Work. For any weights p of the devices (device_weights.h), the parts that
// device d runs take load_d · M for M micro-batches, and end with the makespan
// T at the latest; so do, on a device that runs any, the overheads that
// LeastOverhead counts. With T' = T less that overhead,
//   M · Σ_l min_d p_d · t_ld ≤ M · Σ_d p_d · load_d ≤ Σ_{d used} p_d · T',
// and at most as many devices are used as there are layers. On equal devices
// this is M · (total work) / D.
//
// Indivisible work. Let t_l be the time of layer l where it is fastest. A layer
// is whole on one device, so some device's load, for one micro-batch, is
//  - at least t_l for the longest layer;
//  - at least the sum of the k + 1 shortest of the k·D + 1 longest layers, of
//    which some device has k + 1 (pigeonholes);
//  - at least the average, and a sum of layers: at least the least such sum
//    (reachable_sums.h).

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/certificate.h"
#include "compiler/bounds/device_weights.h"
#include "compiler/bounds/layer_floor.h"
#include "compiler/bounds/reachable_sums.h"

namespace octopipe {
namespace {

int MostDevices(const Problem& problem) {
  return static_cast<int>(
      std::min(problem.devices.size(), problem.layers.size()));
}

std::vector<Nanos> Totals(const Problem& problem) {
  std::vector<Nanos> totals;
  for (const LayerFloor& floor : LayerFloors(problem)) {
    totals.push_back(floor.total_ns);
  }
  return totals;
}

// The sum of the k + 1 shortest of the k·D + 1 longest, for the best k.
Nanos PigeonholeLoad(std::vector<Nanos> totals, int devices) {
  std::sort(totals.begin(), totals.end(), std::greater<>());
  const int layers = static_cast<int>(totals.size());
  Nanos best = 0;
  for (int k = 1; k * devices < layers; ++k) {
    const auto shortest = totals.begin() + k * devices;
    best =
        std::max(best, std::accumulate(shortest - k, shortest + 1, Nanos{0}));
  }
  return best;
}

}  // namespace

Bound WorkBound(const Problem& problem) {
  LayerDeviceTimes times(problem.layers.size());
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    for (const Device& device : problem.devices) {
      times[l].push_back(PartsOn(problem.layers[l], device).total_ns());
    }
  }
  const DeviceWeights weights = ChooseWeights(times);
  std::vector<int64_t> largest = weights.of_device;
  std::sort(largest.begin(), largest.end(), std::greater<>());
  const int devices = MostDevices(problem);
  const absl::int128 speed = std::accumulate(
      largest.begin(), largest.begin() + devices, absl::int128(0));
  const absl::int128 work = weights.work * problem.micro_batches;
  const Nanos even = static_cast<Nanos>((work + speed - 1) / speed);
  const std::vector<Nanos> totals = Totals(problem);
  const Nanos total = std::accumulate(totals.begin(), totals.end(), Nanos{0});
  Bound bound{BoundKind::kWork, even + LeastOverhead(problem), "", ""};
  bound.certificate = absl::StrCat(problem.micro_batches, " micro-batches of ",
                                   NanosText(total), " each, spread over ",
                                   DevicesText(devices));
  if (largest.front() != largest[devices - 1]) {
    absl::StrAppend(&bound.certificate, " of unequal speed");
  }
  return bound;
}

Bound IndivisibleWorkBound(const Problem& problem) {
  Bound bound = WorkBound(problem);
  bound.kind = BoundKind::kIndivisibleWork;
  const std::vector<Nanos> totals = Totals(problem);
  const int devices = MostDevices(problem);
  const int64_t micro_batches = problem.micro_batches;
  const Nanos overhead = LeastOverhead(problem);

  const auto longest = std::max_element(totals.begin(), totals.end());
  Raise(micro_batches * *longest + overhead,
        absl::StrCat("layer '", problem.layers[longest - totals.begin()].name,
                     "' takes ", NanosText(*longest), " a micro-batch, ",
                     micro_batches, " times"),
        bound);

  const Nanos crowded = PigeonholeLoad(totals, devices);
  Raise(micro_batches * crowded + overhead,
        absl::StrCat("one of ", DevicesText(devices),
                     " has several of the longest layers, ", NanosText(crowded),
                     " a micro-batch, ", micro_batches, " times"),
        bound);

  const Nanos total = std::accumulate(totals.begin(), totals.end(), Nanos{0});
  const Nanos average = (total + devices - 1) / devices;
  if (const auto sums = ReachableSums::Of(totals)) {
    const Nanos least = sums->AtLeast(average);
    Raise(micro_batches * least + overhead,
          absl::StrCat("no set of whole layers takes from ", NanosText(average),
                       ", the average of ", DevicesText(devices),
                       ", to less than ", NanosText(least), " a micro-batch, ",
                       micro_batches, " times"),
          bound);
  }
  return bound;
}

}  // namespace octopipe
