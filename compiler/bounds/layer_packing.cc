#include "compiler/bounds/layer_packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace octopipe {
namespace {

// Of the dynamic program, in elements written.
constexpr int64_t kBudget = 150'000'000;
constexpr int64_t kMostVectors = 1 << 15;
constexpr int64_t kMostNodes = 512;

}  // namespace

LayerPacking::LayerPacking(const Problem& problem, Numbering numbering,
                           bool with_memory)
    : problem_(problem),
      with_memory_(with_memory),
      types_(DeviceTypes(problem)),
      claims_(problem, types_, numbering, with_memory),
      most_vectors_(kMostVectors),
      budget_(kBudget) {
  ListSteps();
  MergeLayers();
}

void LayerPacking::ListStepsInTypeOrder() {
  in_every_order_ = false;
  const int layers = static_cast<int>(problem_.layers.size());
  for (int type = 0; type < static_cast<int>(types_.size()); ++type) {
    for (int j = 0; j < std::min(types_[type].devices, layers); ++j) {
      steps_.push_back({nodes_ - 1, nodes_, type, j});
      ++nodes_;
    }
  }
}

void LayerPacking::ListSteps() {
  int64_t nodes = 1;
  for (const DeviceType& type : types_) {
    nodes = std::min(nodes * (type.devices + 1), kMostNodes + 1);
  }
  if (types_.size() > 1 && nodes > kMostNodes) return ListStepsInTypeOrder();
  std::map<std::vector<int>, int> level;
  level[std::vector<int>(types_.size(), 0)] = 0;
  const int layers = static_cast<int>(problem_.layers.size());
  for (int j = 0; j < layers && !level.empty(); ++j) {
    std::map<std::vector<int>, int> next;
    for (const auto& [used, node] : level) {
      for (int type = 0; type < static_cast<int>(types_.size()); ++type) {
        if (used[type] == types_[type].devices) continue;
        std::vector<int> more = used;
        ++more[type];
        const auto [to, is_new] = next.insert({more, nodes_});
        if (is_new) ++nodes_;
        steps_.push_back({node, to->second, type, j});
      }
    }
    level = std::move(next);
  }
  std::stable_sort(
      steps_.begin(), steps_.end(),
      [](const Step& a, const Step& b) { return a.from < b.from; });
}

void LayerPacking::MergeLayers() {
  std::vector<ItemKind> kinds;
  for (int l = 0; l < static_cast<int>(problem_.layers.size()); ++l) {
    if (l == order().turn || (HasFirst(0) && l == order().first())) continue;
    kinds.push_back({1, claims_.Needs(l)});
  }
  const size_t all = MergeKinds(kinds, kForever).size();
  kinds_ = MergeKinds(std::move(kinds), most_vectors_);
  is_merged_ = kinds_.size() < all;
}

BinChoices LayerPacking::BinsFor(Nanos t) const {
  BinChoices bins;
  bins.nodes = nodes_;
  for (const Step& step : steps_) {
    const bool has_first = HasFirst(step.number);
    Bin bin{step.type, std::nullopt, std::nullopt};
    if (!has_first || order().first() != order().turn) {
      bin.room = claims_.Room(t, step.number, step.type, has_first, false);
    }
    bin.room_with_key =
        claims_.Room(t, step.number, step.type, has_first, true);
    bins.steps.push_back({step.from, step.to, std::move(bin)});
  }
  return bins;
}

Fit LayerPacking::FitsIn(Nanos t) {
  t = std::max<Nanos>(t, 1);
  const BinChoices bins = BinsFor(t);
  while (true) {
    const int64_t before = is_settled_ ? budget_ : kBudget / 16;
    int64_t left = before;
    const Fit fit = FitIntoBins(claims_.ForTime(t, kinds_), bins, left);
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
    // The first answer takes too much: fewer kinds.
    most_vectors_ /= 8;
    MergeLayers();
  }
}

Nanos LayerPacking::Grain() const {
  if (problem_.launch_overhead_ns > 0 || with_memory_) return 1;
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

}  // namespace octopipe
