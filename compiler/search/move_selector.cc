#include "compiler/search/move_selector.h"

#include <algorithm>

#include "compiler/search/priority_weights.h"

namespace octopipe {
namespace {

constexpr int64_t kLeastLuck = 250;
constexpr int64_t kMostLuck = 1000;
// Added to each share, so that no kind is out of the draw.
constexpr int64_t kBaseShare = 200;

}  // namespace

absl::string_view MoveKindName(MoveKind kind) {
  switch (kind) {
    case MoveKind::kPartition:
      return "partition";
    case MoveKind::kPlacement:
      return "placement";
    case MoveKind::kOrder:
      return "order";
  }
  return "";
}

MoveKind MoveSelector::Draw(std::mt19937_64& random) const {
  std::array<int64_t, kNumMoveKinds> weights = {};
  int64_t total = 0;
  for (int k = 0; k < kNumMoveKinds; ++k) {
    if (!allowed_[k]) continue;
    weights[k] = (kBaseShare + share_permille_[k]) * luck_[k];
    total += weights[k];
  }
  int64_t draw = Below(random, total);
  int kind = 0;
  while (draw >= weights[kind]) draw -= weights[kind++];
  return static_cast<MoveKind>(kind);
}

void MoveSelector::SetIdleTime(const IdleTime& idle) {
  const Nanos all = idle.imbalance_ns + idle.ends_ns + idle.inner_ns;
  if (all == 0) return;
  // Nanoseconds of a whole plan times 1000 could overflow.
  const Nanos unit = all / 1000 + 1;
  share_permille_ = {idle.imbalance_ns / unit, idle.ends_ns / unit,
                     idle.inner_ns / unit};
}

void MoveSelector::Report(MoveKind kind, bool gained) {
  int64_t& luck = luck_[static_cast<int>(kind)];
  luck =
      gained ? std::min(kMostLuck, luck + 250) : std::max(kLeastLuck, luck - 1);
}

}  // namespace octopipe
