#include "compiler/bounds/best_bound.h"

#include <limits>

#include "absl/numeric/int128.h"

namespace octopipe {

absl::string_view BoundKindName(BoundKind kind) {
  switch (kind) {
    case BoundKind::kWork:
      return "work";
    case BoundKind::kIndivisibleWork:
      return "indivisible-work";
    case BoundKind::kChain:
      return "chain";
    case BoundKind::kLoad:
      return "load";
  }
  return "";
}

std::vector<Bound> AllBounds(const Problem& problem) {
  return {WorkBound(problem), IndivisibleWorkBound(problem),
          ChainBound(problem), LoadBound(problem)};
}

Bound BestBound(const Problem& problem) {
  Bound best;
  best.ns = -1;
  for (Bound& bound : AllBounds(problem)) {
    if (bound.ns > best.ns) best = std::move(bound);
  }
  return best;
}

int64_t GapPpm(Nanos makespan_ns, Nanos bound_ns) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (makespan_ns <= bound_ns) return 0;
  if (bound_ns <= 0) return kMost;
  const absl::int128 over = absl::int128(makespan_ns - bound_ns) * 1000000;
  const absl::int128 ppm = (over + bound_ns - 1) / bound_ns;
  return ppm > kMost ? kMost : static_cast<int64_t>(ppm);
}

}  // namespace octopipe
