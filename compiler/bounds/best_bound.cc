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
    case BoundKind::kPacking:
      return "packing";
    case BoundKind::kMemory:
      return "memory";
  }
  return "";
}

std::vector<Bound> AllBounds(const Problem& problem, Nanos resolution) {
  std::vector<Bound> bounds = {WorkBound(problem),
                               IndivisibleWorkBound(problem),
                               ChainBound(problem), LoadBound(problem)};
  bounds.push_back(PackingBound(problem, *LargestBound(bounds), resolution));
  if (HasMemoryLimit(problem)) {
    bounds.push_back(MemoryBound(problem, *LargestBound(bounds), resolution));
  }
  return bounds;
}

const Bound* LargestBound(const std::vector<Bound>& bounds) {
  const Bound* largest = nullptr;
  for (const Bound& bound : bounds) {
    if (!largest || bound.ns > largest->ns) largest = &bound;
  }
  return largest;
}

Bound BestBound(const Problem& problem, Nanos resolution) {
  return *LargestBound(AllBounds(problem, resolution));
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
