// The sums that some of a list of durations can have: the loads that a device
// can be given. Models repeat few kinds of layer, so there are few.

#ifndef OCTOPIPE_COMPILER_BOUNDS_REACHABLE_SUMS_H_
#define OCTOPIPE_COMPILER_BOUNDS_REACHABLE_SUMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"

namespace octopipe {

// Kept as two sorted lists, each with the sums of about half of the different
// durations: every sum of one and one is reachable (Horowitz and Sahni 1974).
class ReachableSums {
 public:
  // Nullopt if a list would be longer than kMaxSums. `durations` are ≥ 0.
  static constexpr int64_t kMaxSums = 1 << 16;
  static std::optional<ReachableSums> Of(absl::Span<const Nanos> durations);

  Nanos total() const { return low_.back() + high_.back(); }
  // The largest reachable sum that is at most `limit`, which is at least 0.
  // O(length of the lists).
  Nanos AtMost(Nanos limit) const;
  // The smallest that is at least `limit`, which is at most the total: what the
  // layers left out can have at most is the rest.
  Nanos AtLeast(Nanos limit) const { return total() - AtMost(total() - limit); }

 private:
  std::vector<Nanos> low_ = {0};
  std::vector<Nanos> high_ = {0};
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_REACHABLE_SUMS_H_
