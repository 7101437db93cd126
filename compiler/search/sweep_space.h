// The partitions and placements that a sweep tries.

#ifndef OCTOPIPE_COMPILER_SEARCH_SWEEP_SPACE_H_
#define OCTOPIPE_COMPILER_SEARCH_SWEEP_SPACE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/sweep_options.h"

namespace octopipe {

struct SweepLayout {
  int stages = 0;
  PartitionObjective objective = PartitionObjective::kEven;
  PlacementStrategy strategy = PlacementStrategy::kLoop;
  // Why there is no such cut; the two below count if it is OK.
  absl::Status refusal;
  Partition partition;
  Placement placement;
};

// By stages, then objective, then strategy. A cut on the same devices as one
// before it is left out. The balanced strategy cuts for the loop and then
// places. With a space, only cuts in it, and after them those of LayoutsInSpace
// as "given". InvalidArgument for options that contradict `problem` or each
// other.
absl::StatusOr<std::vector<SweepLayout>> LayoutsToTry(
    const Problem& problem, const SweepOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SWEEP_SPACE_H_
