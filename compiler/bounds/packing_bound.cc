// Packing: the least T for which layers, whole, can be assigned to devices so
// that each device meets the claims of layer_claims.h.
//
// Devices of one type (device_types.h) are alike. Of unequal devices any can be
// the one with number j; if that leaves too many cases, the j-th in use of each
// type counts as number j, which it is at least, and layer 0 goes anywhere.
// Where layers are of too many kinds, they are rounded down to fewer
// (MergeKinds). Both take nothing away that a plan could do.

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/certificate.h"
#include "compiler/bounds/device_types.h"
#include "compiler/bounds/layer_claims.h"
#include "compiler/bounds/packing.h"

namespace octopipe {
namespace {

constexpr Nanos kForever = int64_t{1} << 61;
// Of the dynamic program, in elements written: under a fifth of a second.
constexpr int64_t kBudget = 150'000'000;
constexpr int64_t kMostVectors = 1 << 15;
constexpr int64_t kMostNodes = 512;

// Number `number` of the devices in use is of type `type`.
struct Step {
  int from, to, type, number;
};

struct Steps {
  std::vector<Step> steps;
  int nodes = 1;
  bool in_every_order = true;
};

Steps InTypeOrder(const std::vector<DeviceType>& types, int most) {
  Steps steps;
  steps.in_every_order = false;
  for (int type = 0; type < static_cast<int>(types.size()); ++type) {
    for (int j = 0; j < std::min(types[type].devices, most); ++j) {
      steps.steps.push_back({steps.nodes - 1, steps.nodes, type, j});
      ++steps.nodes;
    }
  }
  return steps;
}

// A node for each number of devices used of each type; at most `most` of all.
Steps ListSteps(const std::vector<DeviceType>& types, int most) {
  int64_t nodes = 1;
  for (const DeviceType& type : types) {
    nodes = std::min(nodes * (type.devices + 1), kMostNodes + 1);
  }
  if (types.size() > 1 && nodes > kMostNodes) return InTypeOrder(types, most);
  Steps steps;
  std::map<std::vector<int>, int> level;
  level[std::vector<int>(types.size(), 0)] = 0;
  for (int j = 0; j < most && !level.empty(); ++j) {
    std::map<std::vector<int>, int> next;
    for (auto& [used, node] : level) {
      for (int type = 0; type < static_cast<int>(types.size()); ++type) {
        if (used[type] == types[type].devices) continue;
        std::vector<int> more = used;
        ++more[type];
        const auto [to, is_new] = next.insert({more, steps.nodes});
        if (is_new) ++steps.nodes;
        steps.steps.push_back({node, to->second, type, j});
      }
    }
    level = std::move(next);
  }
  std::stable_sort(
      steps.steps.begin(), steps.steps.end(),
      [](const Step& a, const Step& b) { return a.from < b.from; });
  return steps;
}

class LayerPacking {
 public:
  explicit LayerPacking(const Problem& problem)
      : problem_(problem),
        types_(DeviceTypes(problem)),
        claims_(problem, types_),
        steps_(ListSteps(types_, static_cast<int>(problem.layers.size()))) {
    MergeLayers();
  }

  // Whether layers can be assigned to devices so that all holds for T. Turns
  // to fewer kinds of layer if the first answer takes too much work.
  Fit FitsIn(Nanos t) {
    const BinChoices bins = BinsFor(t);
    while (true) {
      const int64_t before = is_settled_ ? budget_ : kBudget / 16;
      int64_t left = before;
      const Fit fit = FitIntoBins(kinds_, bins, left);
      if (fit != Fit::kTooMuchWork) {
        is_settled_ = true;
        budget_ -= before - left;
        return fit;
      }
      if (is_settled_ || most_vectors_ == 1) {
        is_settled_ = true;
        budget_ = 0;
        return fit;
      }
      most_vectors_ /= 8;
      MergeLayers();
    }
  }

  // Without overhead, all T at which anything changes are multiples of this.
  Nanos Grain() const {
    if (problem_.launch_overhead_ns > 0) return 1;
    Nanos grain = 0;
    for (const DeviceType& type : types_) {
      for (const Layer& layer : problem_.layers) {
        const LayerParts parts = PartsOn(layer, *type.example);
        for (Nanos ns : {parts.f_ns, parts.b_ns, parts.w_ns}) {
          grain = std::gcd(grain, ns);
        }
      }
    }
    return std::max<Nanos>(grain, 1);
  }

  std::string Certificate() const {
    const int layers = static_cast<int>(problem_.layers.size());
    const int devices = static_cast<int>(problem_.devices.size());
    return absl::StrCat(layers, " whole layers",
                        is_merged_ ? ", rounded down to few kinds," : "",
                        " do not fit earlier on ",
                        DevicesText(std::min(layers, devices)),
                        " that start in turn, of which one has layer '",
                        problem_.layers[claims_.turn()].name, "', from ",
                        NanosText(claims_.floor(claims_.turn()).head_ns));
  }

 private:
  // Whether layer 0 is known to be on the device with number 0.
  bool HasFirst(int number) const {
    return number == 0 && steps_.in_every_order;
  }

  void MergeLayers() {
    std::vector<ItemKind> kinds;
    for (int l = 0; l < static_cast<int>(problem_.layers.size()); ++l) {
      if (l == claims_.turn()) continue;
      if (HasFirst(0) && l == claims_.first()) continue;
      kinds.push_back({1, claims_.Needs(l)});
    }
    const size_t all = MergeKinds(kinds, kForever).size();
    kinds_ = MergeKinds(std::move(kinds), most_vectors_);
    is_merged_ = kinds_.size() < all;
  }

  BinChoices BinsFor(Nanos t) const {
    BinChoices bins;
    bins.nodes = steps_.nodes;
    for (const Step& step : steps_.steps) {
      const bool has_first = HasFirst(step.number);
      Bin bin{step.type, std::nullopt, std::nullopt};
      if (!has_first || claims_.first() != claims_.turn()) {
        bin.room = claims_.Room(t, step.number, step.type, has_first, false);
      }
      bin.room_with_key =
          claims_.Room(t, step.number, step.type, has_first, true);
      bins.steps.push_back({step.from, step.to, std::move(bin)});
    }
    return bins;
  }

  const Problem& problem_;
  std::vector<DeviceType> types_;
  LayerClaims claims_;
  Steps steps_;

  std::vector<ItemKind> kinds_;
  bool is_merged_ = false;
  bool is_settled_ = false;  // no fewer kinds from here on
  int64_t most_vectors_ = kMostVectors;
  int64_t budget_ = kBudget;
};

}  // namespace

Bound PackingBound(const Problem& problem, const Bound& from) {
  LayerPacking packing(problem);
  Bound bound = from;
  bound.kind = BoundKind::kPacking;
  auto does_not_fit = [&](Nanos t) {
    return packing.FitsIn(t) == Fit::kDoesNotFit;
  };
  if (!does_not_fit(from.ns)) return bound;
  const Nanos grain = packing.Grain();
  Nanos below = from.ns / grain;
  Nanos step = std::max<Nanos>(below / 128, 1);
  while (does_not_fit((below + step) * grain)) {
    below += step;
    step *= 2;
  }
  Nanos above = below + step;
  while (above - below > 1) {
    const Nanos middle = below + (above - below) / 2;
    (does_not_fit(middle * grain) ? below : above) = middle;
  }
  Raise(above * grain, packing.Certificate(), bound);
  return bound;
}

}  // namespace octopipe
