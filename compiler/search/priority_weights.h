// Priorities as weights: those of the list policies, and random ones.

#ifndef OCTOPIPE_COMPILER_SEARCH_PRIORITY_WEIGHTS_H_
#define OCTOPIPE_COMPILER_SEARCH_PRIORITY_WEIGHTS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

// At least 0 and below `bound`, itself positive.
inline int64_t Below(std::mt19937_64& random, int64_t bound) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
}

// Weights for a pipeline of `stages` whose makespan is about `horizon_ns`:
// weight gradients last, backwards before forwards or by the tail alone,
// oldest micro-batch first or not; each at random.
PriorityWeights RandomWeights(int stages, int micro_batches, Nanos horizon_ns,
                              std::mt19937_64& random);

// Writes the key of each item; see SchedulingKeys. `tails` are those of
// KeyScheduler.
void KeysOf(const PriorityWeights& weights, absl::Span<const Nanos> tails,
            int micro_batches, std::vector<int64_t>* keys);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PRIORITY_WEIGHTS_H_
