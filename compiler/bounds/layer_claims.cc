#include "compiler/bounds/layer_claims.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace octopipe {

LayerClaims::LayerClaims(const Problem& problem,
                         const std::vector<DeviceType>& types)
    : problem_(problem), types_(types), floors_(LayerFloors(problem)) {
  NumberLayers();
  FindTurn();
}

void LayerClaims::NumberLayers() {
  order_.resize(floors_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
    return std::tie(floors_[a].head_ns, floors_[a].tail_ns) <
           std::tie(floors_[b].head_ns, floors_[b].tail_ns);
  });
  least_tail_.resize(order_.size());
  Nanos least = floors_[order_.back()].tail_ns;
  for (int j = static_cast<int>(order_.size()) - 1; j >= 0; --j) {
    least = std::min(least, floors_[order_[j]].tail_ns);
    least_tail_[j] = least;
  }
}

void LayerClaims::FindTurn() {
  Nanos longest = -1;
  const int layers = static_cast<int>(floors_.size());
  for (int l = 0; l < layers; ++l) {
    const LayerFloor& floor = floors_[l];
    const Nanos chain = floor.head_ns + floor.parts.f_ns + floor.parts.b_ns +
                        std::max(floor.parts.w_ns, floor.tail_ns);
    if (chain < longest) continue;
    longest = chain;
    turn_ = l;
  }
  is_early_.assign(layers, false);
  is_early_[turn_] = true;
  for (int l = turn_; l >= 0; --l) {
    if (!is_early_[l]) continue;
    for (int input : problem_.layers[l].inputs) {
      if (problem_.layers[input].needs_grad) is_early_[input] = true;
    }
  }
}

LayerClaims::Amounts LayerClaims::NeedsOn(int layer, int type) const {
  const LayerParts parts =
      PartsOn(problem_.layers[layer], *types_[type].example);
  const int64_t m = problem_.micro_batches;
  Amounts needs{};
  needs[kTotal] = m * parts.total_ns();
  needs[kForwardBackward] = m * (parts.f_ns + parts.b_ns);
  if (is_early_[layer]) {
    needs[kBackwardWeight] = m * (parts.b_ns + parts.w_ns);
    needs[kForward] = m * parts.f_ns;
  }
  return needs;
}

std::vector<std::vector<int64_t>> LayerClaims::Needs(int layer) const {
  std::vector<std::vector<int64_t>> needs;
  for (size_t type = 0; type < types_.size(); ++type) {
    const Amounts amounts = NeedsOn(layer, static_cast<int>(type));
    needs.emplace_back(amounts.begin(), amounts.end());
  }
  return needs;
}

BinRoom LayerClaims::Room(Nanos t, int number, int type, bool has_first,
                          bool has_turn) const {
  const LayerFloor& turn = floors_[turn_];
  const int64_t m = problem_.micro_batches;
  const Nanos head = floors_[order_[number]].head_ns;
  Nanos whole = t - LeastOverhead(problem_);
  Amounts room;
  room[kTotal] = whole - head;
  room[kForwardBackward] = whole - head - least_tail_[number];
  if (has_turn) {
    const LayerParts parts =
        PartsOn(problem_.layers[turn_], *types_[type].example);
    room[kBackwardWeight] = whole - turn.head_ns - m * parts.f_ns;
    room[kForward] = whole - head - turn.tail_ns - m * parts.b_ns;
  } else {
    const Nanos less = t - (m + 2) * problem_.launch_overhead_ns -
                       turn.parts.f_ns - turn.parts.b_ns;
    room[kBackwardWeight] = less - turn.head_ns;
    room[kForward] = less - head - turn.tail_ns;
  }
  auto take = [&](int layer) {
    const Amounts needs = NeedsOn(layer, type);
    for (int c = 0; c < kClaims; ++c) room[c] -= needs[c];
  };
  if (has_turn) take(turn_);
  if (has_first && !(has_turn && first() == turn_)) take(first());
  for (int c = 0; c < kClaims; ++c) {
    // A claim says nothing of a device without the layers that it is about.
    const bool holds = c == kBackwardWeight || c == kForward
                           ? has_turn || (has_first && is_early_[first()])
                           : has_turn || has_first;
    if (holds && room[c] < 0) return std::nullopt;
    room[c] = std::max<int64_t>(room[c], 0);
  }
  return std::vector<int64_t>(room.begin(), room.end());
}

}  // namespace octopipe
