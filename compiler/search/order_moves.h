// Moves of the tuner that change the order of work.

#ifndef OCTOPIPE_COMPILER_SEARCH_ORDER_MOVES_H_
#define OCTOPIPE_COMPILER_SEARCH_ORDER_MOVES_H_

#include <random>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

// The schedule that `state` leads to, items numbered as its keys.
struct KnownSchedule {
  absl::Span<const Nanos> starts;
  absl::Span<const Nanos> latest_starts;
  Nanos makespan_ns = 0;
};

// Changes a weight, the noise of a few tasks, whether a stage's backward is
// split, or, where memory is `limited`, the share of it; the order is then that
// of the weights.
void MoveWeights(bool limited, int micro_batches, Nanos horizon_ns,
                 std::mt19937_64& random, TunerState* state);

// Makes the order of `schedule`, by starts, latest starts or between, the
// priority, and disturbs it: a critical item and its like goes earlier or
// later, or all items in a window of time get noise (large-neighbourhood
// repair: list scheduling puts them in order again).
void MoveItems(const KnownSchedule& schedule, int micro_batches,
               std::mt19937_64& random, TunerState* state);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_ORDER_MOVES_H_
