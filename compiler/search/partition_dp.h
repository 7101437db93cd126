// Layers into stages.

#ifndef OCTOPIPE_COMPILER_SEARCH_PARTITION_DP_H_
#define OCTOPIPE_COMPILER_SEARCH_PARTITION_DP_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// All take a valid problem and the device that each stage will run on, and fail
// with InvalidArgument, naming both numbers, if there are more stages than
// layers (for PartitionEven: than blocks, when those are fewer).

// The same number of blocks per stage, the first stages one more where they do
// not divide. Embeddings go with the first stage, heads with the last.
absl::StatusOr<Partition> PartitionEven(const Problem& problem, int stages);

// Minimises the largest f + b + w of any stage, exactly, by dynamic
// programming over prefixes; of equal optima, the one whose stages' loads, the
// largest first, are least. With `placement` a stage's load is its time on that
// device, and, where memory is limited, every device must hold the static bytes
// of its stages and the activations of one micro-batch: ResourceExhausted,
// naming the device and the bytes over in the best cut, if no cut fits.
absl::StatusOr<Partition> PartitionMinMax(const Problem& problem, int stages,
                                          const Placement& placement);

// Minimises the sum of squared stage loads, exactly.
absl::StatusOr<Partition> PartitionMinVariance(const Problem& problem,
                                               int stages,
                                               const Placement& placement);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PARTITION_DP_H_
