// Load: a device's work has a head and a tail.
//
// One layer. The device of layer l starts its first F of it at head_l at the
// earliest, and then has M · (f + b) of it to do up to the end of the last B.
// After that come M · w at most, if W was put off, and the tail. So
//   T ≥ head + M · (f + b) + max(M · w, tail).
//
// All devices. The parts on device d start no earlier than the least head of
// its layers; when its last B ends, the least tail of its layers is still to
// come, and it has nothing but W left. Let loss_j be the j-th least head of all
// layers: the layers with the least head of different devices are different,
// so the device with the j-th least start loses loss_j at least, and
//   Σ_j max(0, T − loss_j) ≥ M · (work), over as many j as devices can be used.
// The same with F and B alone for the work and head + tail for the loss. (The
// j-th least of that sum, if one order of the layers sorts both; otherwise the
// j-th least head and the least tail.) Unequal devices have weights
// (device_weights.h); the sum is largest with the largest weight on the least
// loss. On equal devices the load of each is also M times a sum of layers
// (reachable_sums.h): with c(x) the largest such sum up to x,
//   Σ_j c((T − loss_j) / M) ≥ work of one micro-batch.
//
// Overhead. A device that is used runs an F and a B for each micro-batch. The
// first item starts with its overhead, and the chain in front of the head runs
// in items too, at least one of which is this one or before it; so the 2 · M
// overheads come on top of all the above.

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
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

// What the devices lose, least first, for as many as can be used.
struct Losses {
  std::vector<Nanos> heads;
  std::vector<Nanos> heads_and_tails;
};

Losses LeastLosses(std::vector<LayerFloor> floors, size_t devices) {
  std::sort(floors.begin(), floors.end(),
            [](const LayerFloor& a, const LayerFloor& b) {
              return std::tie(a.head_ns, a.tail_ns) <
                     std::tie(b.head_ns, b.tail_ns);
            });
  auto by_tail = [](const LayerFloor& a, const LayerFloor& b) {
    return a.tail_ns < b.tail_ns;
  };
  const bool one_order = std::is_sorted(floors.begin(), floors.end(), by_tail);
  const Nanos least_tail =
      std::min_element(floors.begin(), floors.end(), by_tail)->tail_ns;
  Losses losses;
  for (size_t j = 0; j < std::min(devices, floors.size()); ++j) {
    losses.heads.push_back(floors[j].head_ns);
    losses.heads_and_tails.push_back(
        floors[j].head_ns + (one_order ? floors[j].tail_ns : least_tail));
  }
  return losses;
}

// The least T with Σ_j p_j · max(0, T − loss_j) ≥ work. Every number k of terms
// bounds T from above, and that of the positive ones is exact.
Nanos Fill(const std::vector<Nanos>& losses, DeviceWeights weights,
           int64_t micro_batches) {
  std::vector<int64_t>& p = weights.of_device;
  std::sort(p.begin(), p.end(), std::greater<>());
  absl::int128 need = weights.work * micro_batches;
  absl::int128 speed = 0;
  Nanos least = std::numeric_limits<Nanos>::max();
  for (size_t j = 0; j < losses.size(); ++j) {
    speed += p[j];
    need += absl::int128(p[j]) * losses[j];
    least = std::min(least, static_cast<Nanos>((need + speed - 1) / speed));
  }
  return least;
}

// The least T ≥ `from` with Σ_j c((T − loss_j) / M) ≥ the total of `sums`.
Nanos FillWhole(const std::vector<Nanos>& losses, const ReachableSums& sums,
                int64_t micro_batches, Nanos from) {
  auto holds = [&](Nanos t) {
    absl::int128 capacity = 0;
    for (size_t j = 0; j < losses.size() && losses[j] <= t; ++j) {
      capacity += sums.AtMost((t - losses[j]) / micro_batches);
      if (capacity >= sums.total()) return true;
    }
    return false;
  };
  if (holds(from)) return from;
  Nanos below = from;
  Nanos step = 1;
  while (!holds(below + step)) {
    below += step;
    step *= 2;
  }
  Nanos above = below + step;
  while (above - below > 1) {
    const Nanos middle = below + (above - below) / 2;
    (holds(middle) ? above : below) = middle;
  }
  return above;
}

struct Fillings {
  const Problem& problem;
  const std::vector<Nanos>& losses;
  const LayerDeviceTimes& times;
  const std::vector<Nanos>& least_times;  // of each layer, on any device
  const char* what;
};

void RaiseByFilling(const Fillings& f, Bound& bound) {
  const int64_t micro_batches = f.problem.micro_batches;
  const Nanos overhead = LeastOverhead(f.problem);
  const Nanos even = Fill(f.losses, ChooseWeights(f.times), micro_batches);
  const std::string certificate =
      absl::StrCat(micro_batches, " micro-batches, spread over ",
                   DevicesText(static_cast<int>(f.losses.size())), " that ",
                   f.what, " ", NanosText(f.losses.back()));
  Raise(even + overhead, certificate, bound);
  if (const auto sums = ReachableSums::Of(f.least_times)) {
    const Nanos from = std::max(even, bound.ns - overhead);
    Raise(FillWhole(f.losses, *sums, micro_batches, from) + overhead,
          absl::StrCat(certificate, ", and layers are whole"), bound);
  }
}

}  // namespace

Bound LoadBound(const Problem& problem) {
  const std::vector<LayerFloor> floors = LayerFloors(problem);
  const int64_t micro_batches = problem.micro_batches;
  Bound bound{BoundKind::kLoad, -1, "", ""};
  LayerDeviceTimes totals, forward_backwards;
  std::vector<Nanos> least_totals, least_forward_backwards;
  for (size_t l = 0; l < floors.size(); ++l) {
    const LayerFloor& floor = floors[l];
    totals.emplace_back();
    forward_backwards.emplace_back();
    Nanos least = std::numeric_limits<Nanos>::max();
    for (const Device& device : problem.devices) {
      const LayerParts parts = PartsOn(problem.layers[l], device);
      least = std::min(least,
                       micro_batches * (parts.f_ns + parts.b_ns) +
                           std::max(micro_batches * parts.w_ns, floor.tail_ns));
      totals.back().push_back(parts.total_ns());
      forward_backwards.back().push_back(parts.f_ns + parts.b_ns);
    }
    least_totals.push_back(floor.total_ns);
    least_forward_backwards.push_back(floor.forward_backward_ns);
    Raise(floor.head_ns + least + LeastOverhead(problem),
          absl::StrCat("layer '", problem.layers[l].name, "' runs ",
                       micro_batches, " micro-batches after a head of ",
                       NanosText(floor.head_ns), " and before a tail of ",
                       NanosText(floor.tail_ns)),
          bound);
  }
  const Losses losses = LeastLosses(floors, problem.devices.size());
  RaiseByFilling({problem, losses.heads, totals, least_totals,
                  "start in turn, the last after"},
                 bound);
  RaiseByFilling({problem, losses.heads_and_tails, forward_backwards,
                  least_forward_backwards,
                  "lack gradients to compute at both ends, the last for"},
                 bound);
  return bound;
}

}  // namespace octopipe
