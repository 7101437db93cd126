#include "compiler/bounds/layer_claims.h"

#include <algorithm>

namespace octopipe {

LayerClaims::LayerClaims(const Problem& problem,
                         const std::vector<DeviceType>& types,
                         Numbering numbering, bool with_memory)
    : problem_(problem),
      types_(types),
      order_(OrderLayers(problem, numbering)) {
  if (with_memory) memory_.emplace(problem, types, order_);
}

bool LayerClaims::IsOfEarlyLayers(int claim) const {
  if (claim < kBytes) return claim == kBackwardWeight || claim == kForward;
  return claim > kBytes &&
         claim <= kBytes + static_cast<int>(memory_->EarlyClaims());
}

std::vector<int64_t> LayerClaims::NeedsOn(int layer, int type) const {
  const LayerParts parts =
      PartsOn(problem_.layers[layer], *types_[type].example);
  const int64_t m = problem_.micro_batches;
  std::vector<int64_t> needs(kBytes, 0);
  needs[kTotal] = m * parts.total_ns();
  needs[kForwardBackward] = m * (parts.f_ns + parts.b_ns);
  if (order_.is_early[layer]) {
    needs[kBackwardWeight] = m * (parts.b_ns + parts.w_ns);
    needs[kForward] = m * parts.f_ns;
  }
  if (memory_) {
    const std::vector<int64_t> more = memory_->Needs(layer, type);
    needs.insert(needs.end(), more.begin(), more.end());
  }
  return needs;
}

std::vector<std::vector<int64_t>> LayerClaims::Needs(int layer) const {
  std::vector<std::vector<int64_t>> needs;
  for (size_t type = 0; type < types_.size(); ++type) {
    needs.push_back(NeedsOn(layer, static_cast<int>(type)));
  }
  return needs;
}

std::vector<ItemKind> LayerClaims::ForTime(Nanos t,
                                           std::vector<ItemKind> kinds) const {
  if (!memory_) return kinds;
  for (ItemKind& kind : kinds) {
    for (std::vector<int64_t>& needs : kind.needs) memory_->ForTime(t, needs);
  }
  return kinds;
}

BinRoom LayerClaims::Room(Nanos t, int number, int type, bool has_first,
                          bool has_turn) const {
  const int z = order_.turn;
  const LayerFloor& turn = order_.floors[z];
  const int64_t m = problem_.micro_batches;
  const Nanos head = order_.head[number];
  const Nanos whole = t - LeastOverhead(problem_);
  std::vector<int64_t> room(kBytes);
  room[kTotal] = whole - head;
  room[kForwardBackward] = whole - head - order_.tail[number];
  if (has_turn) {
    const LayerParts parts = PartsOn(problem_.layers[z], *types_[type].example);
    room[kTotal] -= m * parts.total_ns();
    room[kForwardBackward] -= m * (parts.f_ns + parts.b_ns);
    room[kBackwardWeight] = whole - turn.head_ns - m * parts.total_ns();
    room[kForward] =
        whole - head - m * (parts.f_ns + parts.b_ns) - turn.tail_ns;
  } else {
    const Nanos less = t - (m + 2) * problem_.launch_overhead_ns;
    room[kBackwardWeight] = less - order_.backward[number];
    room[kForward] = less - head - order_.rest[number];
  }
  if (memory_) {
    const std::vector<int64_t> more = memory_->Room(t, number, type, has_turn);
    room.insert(room.end(), more.begin(), more.end());
  }
  const int first = order_.first();
  if (has_first && !(has_turn && first == z)) {
    std::vector<int64_t> needs = NeedsOn(first, type);
    if (memory_) memory_->ForTime(t, needs);
    for (size_t c = 0; c < room.size(); ++c) room[c] -= needs[c];
  }
  for (size_t c = 0; c < room.size(); ++c) {
    // A claim about early layers says nothing of a device that has none.
    const bool holds =
        has_turn ||
        (has_first && (order_.is_early[first] || !IsOfEarlyLayers(c)));
    if (holds && room[c] < 0) return std::nullopt;
    room[c] = std::max<int64_t>(room[c], 0);
  }
  return room;
}

}  // namespace octopipe
