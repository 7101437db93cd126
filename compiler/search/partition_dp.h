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
// not divide. Embeddings go with the block after them, heads with the block
// before.
absl::StatusOr<Partition> PartitionEven(const Problem& problem, int stages);

// Minimises the largest f + b + w of any stage, where a stage's load is its
// time on its device in `placement`, exactly, by dynamic programming over
// prefixes; of equal optima one with the least sum of squared loads, and of
// those the one whose last stage is longest, then the one before it, and so on.
// O(stages · layers²), less where the load limits a stage's length.
//
// Where memory is limited, every device must hold the static bytes of its
// stages (shared parameters once) and the activations of one micro-batch,
// without workspaces. A cut that is returned keeps this. It is the best such
// cut if every limited device has one stage, or if memory does not bind across
// the stages of a device; otherwise it is the best of a search over even
// shares of each device's memory, which can miss a cut. ResourceExhausted,
// naming the device and the bytes over in the best cut, if none is found; the
// message says whether that is proof that there is none.
absl::StatusOr<Partition> PartitionMinMax(const Problem& problem, int stages,
                                          const Placement& placement);

// Minimises the sum of squared stage loads, exactly; ties, memory, errors and
// cost are those of PartitionMinMax.
absl::StatusOr<Partition> PartitionMinVariance(const Problem& problem,
                                               int stages,
                                               const Placement& placement);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_PARTITION_DP_H_
