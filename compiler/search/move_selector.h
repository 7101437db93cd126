// Which kind of move to try next.

#ifndef OCTOPIPE_COMPILER_SEARCH_MOVE_SELECTOR_H_
#define OCTOPIPE_COMPILER_SEARCH_MOVE_SELECTOR_H_

#include <array>
#include <cstdint>
#include <random>

#include "compiler/search/key_scheduler.h"
#include "compiler/search/tuner_options.h"

namespace octopipe {

// Draws a kind with a weight that is its share of the idle time times its luck:
// imbalance asks for partition, idle ends for placement, inner idle time for
// order. Luck rises with each gain and falls with each try without one, but
// stays above zero: a kind that finds nothing gives way to the others, and is
// tried again now and then.
class MoveSelector {
 public:
  explicit MoveSelector(const TunerOptions& options)
      : allowed_({options.partition, options.placement, options.order}) {}

  // At least one kind is allowed.
  MoveKind Draw(std::mt19937_64& random) const;
  void SetIdleTime(const IdleTime& idle);
  void Report(MoveKind kind, bool gained);

 private:
  std::array<bool, kNumMoveKinds> allowed_;
  std::array<int64_t, kNumMoveKinds> share_permille_ = {333, 333, 333};
  std::array<int64_t, kNumMoveKinds> luck_ = {1000, 1000, 1000};
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_MOVE_SELECTOR_H_
