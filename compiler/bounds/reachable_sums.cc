#include "compiler/bounds/reachable_sums.h"

#include <algorithm>
#include <map>
#include <utility>

namespace octopipe {
namespace {

// `sums` with 0 … count times `duration` added to each.
void AddRepeats(Nanos duration, int64_t count, std::vector<Nanos>& sums) {
  const std::vector<Nanos> base = sums;
  for (int64_t n = 1; n <= count; ++n) {
    for (Nanos sum : base) sums.push_back(sum + n * duration);
  }
  std::sort(sums.begin(), sums.end());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
}

}  // namespace

std::optional<ReachableSums> ReachableSums::Of(
    absl::Span<const Nanos> durations) {
  std::map<Nanos, int64_t> count_of;
  for (Nanos duration : durations) {
    if (duration > 0) ++count_of[duration];
  }
  std::vector<std::pair<int64_t, Nanos>> kinds;
  for (const auto& [duration, count] : count_of) {
    kinds.push_back({count, duration});
  }
  std::sort(kinds.rbegin(), kinds.rend());
  ReachableSums sums;
  for (const auto& [count, duration] : kinds) {
    std::vector<Nanos>& shorter =
        sums.low_.size() <= sums.high_.size() ? sums.low_ : sums.high_;
    if (static_cast<int64_t>(shorter.size()) * (count + 1) > kMaxSums) {
      return std::nullopt;
    }
    AddRepeats(duration, count, shorter);
  }
  return sums;
}

Nanos ReachableSums::AtMost(Nanos limit) const {
  if (limit >= total()) return total();
  Nanos best = 0;
  auto high = high_.rbegin();
  for (Nanos low : low_) {
    while (high != high_.rend() && low + *high > limit) ++high;
    if (high == high_.rend()) break;
    best = std::max(best, low + *high);
  }
  return best;
}

}  // namespace octopipe
