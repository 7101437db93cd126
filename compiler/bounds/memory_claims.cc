#include "compiler/bounds/memory_claims.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"

namespace octopipe {
namespace {

constexpr int64_t kPlenty = int64_t{1} << 61;
// Prices of each end, at most.
constexpr size_t kMostPrices = 2;

int64_t Clamped(absl::int128 value) {
  return static_cast<int64_t>(std::min<absl::int128>(value, kPlenty));
}

Bytes Saved(const Layer& layer) {
  return layer.cost.memory.saved_b_bytes + layer.cost.memory.saved_w_bytes;
}

std::vector<Bytes> StaticShares(const Problem& problem) {
  std::vector<Bytes> shares;
  std::map<std::string, std::pair<Bytes, int64_t>> groups;  // least, layers
  for (const Layer& layer : problem.layers) {
    const LayerMemory& memory = layer.cost.memory;
    const Bytes bytes =
        memory.param_bytes + memory.grad_bytes + memory.optimizer_bytes;
    shares.push_back(bytes);
    if (layer.shares.empty()) continue;
    auto& [least, count] =
        groups.insert({layer.shares, {bytes, 0}}).first->second;
    least = std::min(least, bytes);
    ++count;
  }
  for (size_t l = 0; l < shares.size(); ++l) {
    const auto group = groups.find(problem.layers[l].shares);
    if (group == groups.end()) continue;
    shares[l] = group->second.first / group->second.second;
  }
  return shares;
}

int Bits(absl::int128 value) {
  int bits = 0;
  for (; value > 0; value >>= 1) ++bits;
  return bits;
}

}  // namespace

std::vector<Bytes> LeastBytes(const Problem& problem, const LayerOrder& order) {
  std::vector<Bytes> bytes = StaticShares(problem);
  for (size_t l = 0; l < bytes.size(); ++l) {
    if (order.is_early[l]) bytes[l] += Saved(problem.layers[l]);
  }
  return bytes;
}

int64_t MemoryClaims::Price::Floor(int64_t value) const {
  return Clamped(absl::int128(value) * num / den);
}

int64_t MemoryClaims::Price::Ceil(int64_t value) const {
  return Clamped((absl::int128(value) * num + den - 1) / den);
}

MemoryClaims::MemoryClaims(const Problem& problem,
                           const std::vector<DeviceType>& types,
                           const LayerOrder& order)
    : problem_(problem),
      types_(types),
      order_(order),
      static_(StaticShares(problem)) {
  FindLives();
  ChoosePrices();
  ChooseScales();
}

void MemoryClaims::FindLives() {
  const int layers = static_cast<int>(problem_.layers.size());
  std::vector<Nanos> beyond(layers, 0);
  life_.resize(layers);
  for (int l = layers - 1; l >= 0; --l) {
    const LayerParts& parts = order_.floors[l].parts;
    life_[l] = parts.f_ns + beyond[l] + parts.b_ns;
    for (int input : problem_.layers[l].inputs) {
      if (!problem_.layers[input].needs_grad) continue;
      beyond[input] = std::max(beyond[input], life_[l]);
    }
  }
}

// Any prices do. The best fill the memory just with all layers down to some one
// of them, in the order of time for a byte: those of the first layer and of the
// one at half of the bytes, with 0, stand for the rest.
void MemoryClaims::ChoosePrices() {
  struct Offer {
    Price price;
    Bytes bytes;
  };
  auto choose = [](std::vector<Offer> offers) {
    auto costlier = [](const Offer& a, const Offer& b) {
      return absl::int128(a.price.num) * b.price.den >
             absl::int128(b.price.num) * a.price.den;
    };
    std::stable_sort(offers.begin(), offers.end(), costlier);
    absl::int128 total = 0, sum = 0;
    for (const Offer& offer : offers) total += offer.bytes;
    std::vector<Price> prices;
    for (size_t i = 0; i < offers.size(); ++i) {
      const bool is_half =
          sum * 2 <= total && (sum + offers[i].bytes) * 2 > total;
      sum += offers[i].bytes;
      if (i > 0 && !(is_half && costlier(offers[0], offers[i]))) continue;
      prices.push_back(offers[i].price);
      if (prices.size() == kMostPrices) break;
    }
    return prices;
  };
  absl::int128 most = 1;
  for (Bytes bytes : static_) most += bytes;
  for (const DeviceType& type : types_) {
    most = std::max<absl::int128>(most, type.example->memory_bytes);
  }
  // A price at which all memory costs more than any plan takes proves nothing.
  auto offer = [&](Nanos ns, Bytes bytes, std::vector<Offer>& offers) {
    if (ns == 0 || bytes == 0 || most * ns / bytes >= kPlenty / 8) return;
    offers.push_back({{ns, bytes}, bytes});
  };
  std::vector<Offer> fill, drain;
  for (size_t l = 0; l < problem_.layers.size(); ++l) {
    if (!order_.is_early[l]) continue;
    const Bytes saved = Saved(problem_.layers[l]);
    const LayerParts& parts = order_.floors[l].parts;
    offer(parts.f_ns, saved, fill);
    offer(parts.b_ns + parts.w_ns, saved, drain);
    offer(parts.w_ns, problem_.layers[l].cost.memory.saved_w_bytes, drain);
  }
  fill_ = choose(std::move(fill));
  drain_ = choose(std::move(drain));
  std::vector<Price> fills = fill_, drains = drain_;
  if (fills.empty() && drains.empty()) return;
  fills.push_back({});
  drains.push_back({});
  for (const Price& fill : fills) {
    for (const Price& drain : drains) {
      if (fill.num > 0 || drain.num > 0) both_.push_back({fill, drain});
    }
  }
}

void MemoryClaims::ChooseScales() {
  absl::int128 area = 0;
  Bytes most = 1;
  for (size_t l = 0; l < problem_.layers.size(); ++l) {
    const LayerMemory& memory = problem_.layers[l].cost.memory;
    const Nanos life = life_[l] + order_.floors[l].parts.w_ns;
    area += absl::int128(problem_.micro_batches) *
            (memory.saved_b_bytes + memory.saved_w_bytes) * life;
    most += static_[l];
  }
  for (const DeviceType& type : types_) {
    most = std::max(most, type.example->memory_bytes);
  }
  area_shift_ = std::max(0, Bits(area) - 60);
  scale_ = std::max(0, std::min({16, 60 - Bits(most), 126 - Bits(area)}));
}

Nanos MemoryClaims::Filled(int layer, const LayerParts& parts,
                           const Price& price) const {
  const int64_t m = problem_.micro_batches;
  return std::max<Nanos>(
      0, m * parts.f_ns - price.Floor(m * Saved(problem_.layers[layer])));
}

Nanos MemoryClaims::Drained(int layer, const LayerParts& parts,
                            const Price& price) const {
  const int64_t m = problem_.micro_batches;
  const Bytes saved_w = problem_.layers[layer].cost.memory.saved_w_bytes;
  return std::max<Nanos>({0,
                          m * (parts.b_ns + parts.w_ns) -
                              price.Floor(m * Saved(problem_.layers[layer])),
                          m * parts.w_ns - price.Floor(m * saved_w)});
}

std::vector<int64_t> MemoryClaims::Needs(int layer, int type) const {
  const Device& device = *types_[type].example;
  if (device.memory_bytes == 0) {
    return std::vector<int64_t>(1 + EarlyClaims() + 2, 0);
  }
  const bool is_early = order_.is_early[layer];
  const LayerParts parts = PartsOn(problem_.layers[layer], device);
  const LayerMemory& memory = problem_.layers[layer].cost.memory;
  const Bytes held = static_[layer];
  const Nanos total = problem_.micro_batches * parts.total_ns();
  std::vector<int64_t> needs = {held +
                                (is_early ? Saved(problem_.layers[layer]) : 0)};
  if (is_early) {
    for (const Price& price : fill_) {
      needs.push_back(total - Filled(layer, parts, price) + price.Floor(held));
    }
    for (const Price& price : drain_) {
      needs.push_back(total - Drained(layer, parts, price) + price.Floor(held));
    }
    for (const PricePair& pair : both_) {
      needs.push_back(total - Filled(layer, parts, pair.fill) -
                      Drained(layer, parts, pair.drain) +
                      pair.fill.Floor(held) + pair.drain.Floor(held));
    }
  }
  needs.resize(1 + EarlyClaims(), 0);
  const absl::int128 area =
      absl::int128(problem_.micro_batches) *
      (absl::int128(memory.saved_b_bytes) * life_[layer] +
       absl::int128(memory.saved_w_bytes) *
           (life_[layer] + order_.floors[layer].parts.w_ns));
  needs.push_back(static_cast<int64_t>(area >> area_shift_));
  needs.push_back(held);
  return needs;
}

void MemoryClaims::ForTime(Nanos t, std::vector<int64_t>& needs) const {
  const Bytes held = needs.back();
  needs.pop_back();
  const absl::int128 area = absl::int128(needs.back()) << area_shift_;
  needs.back() = Clamped((absl::int128(held) << scale_) + (area << scale_) / t);
}

std::vector<int64_t> MemoryClaims::Room(Nanos t, int number, int type,
                                        bool has_turn) const {
  const Device& device = *types_[type].example;
  const Bytes memory = device.memory_bytes;
  const int z = order_.turn;
  if (memory == 0) {
    return std::vector<int64_t>(1 + EarlyClaims() + 1, kPlenty);
  }
  const int64_t m = problem_.micro_batches;
  const Nanos overhead = problem_.launch_overhead_ns;
  const LayerFloor& turn = order_.floors[z];
  const Nanos head = order_.head[number];
  const Nanos end = t - turn.tail_ns;
  const Bytes free = memory - (has_turn ? static_[z] : 0);
  Nanos from_turn, to_turn, between;
  if (has_turn) {
    const LayerParts parts = PartsOn(problem_.layers[z], device);
    const Nanos whole = LeastOverhead(problem_) + m * (parts.f_ns + parts.b_ns);
    from_turn = t - turn.head_ns - whole - m * parts.w_ns;
    to_turn = end - head - whole;
    between = end - turn.head_ns - whole;
  } else {
    const Nanos backward = order_.backward[number];
    const Nanos last_forward = t - order_.rest[number];
    from_turn = t - backward - (m + 2) * overhead;
    to_turn = last_forward - head - m * overhead;
    between = std::max<Nanos>(last_forward - backward, 0);
  }
  std::vector<int64_t> room = {free -
                               (has_turn ? Saved(problem_.layers[z]) : 0)};
  for (const Price& price : fill_) {
    room.push_back(from_turn + price.Ceil(free));
  }
  for (const Price& price : drain_) {
    room.push_back(to_turn + price.Ceil(free));
  }
  for (const PricePair& pair : both_) {
    room.push_back(between + pair.fill.Ceil(free) + pair.drain.Ceil(free));
  }
  std::vector<int64_t> area = {0, 0};
  if (has_turn) {
    const std::vector<int64_t> needs = Needs(z, type);
    area.assign(needs.end() - 2, needs.end());
  }
  ForTime(t, area);
  room.push_back(Clamped(absl::int128(memory) << scale_) - area[0]);
  return room;
}

}  // namespace octopipe
