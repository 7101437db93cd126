// Partitions and placements that lie in a search space, to start from.

#ifndef OCTOPIPE_COMPILER_SEARCH_SPACE_LAYOUTS_H_
#define OCTOPIPE_COMPILER_SEARCH_SPACE_LAYOUTS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/search_space.h"

namespace octopipe {

struct Layout {
  Partition partition;
  Placement placement;
};

// The cut whose longest stage takes least time on its device in `placement`,
// among those that keep stages and layer pins of `filter`; exact, by dynamic
// programming over prefixes, O(stages · layers²). Links and memory do not
// count. nullopt if there is none. With `is_free`, a stage that has a pinned
// layer runs where that is pinned instead.
std::optional<Partition> CutInSpace(const Problem& problem,
                                    const SpaceFilter& filter,
                                    const Placement& placement, bool is_free);

// For D, 2D, … stages up to `max_stages` and the number of layers, or those of
// the cut that is given, loop and V: the best cut there; and where stages may
// run anywhere but layers are pinned, the best cut with its pinned stages on
// their devices, the others longest first onto the device that has least. If
// there is none and stages may run anywhere, the same for the first other
// number of stages that has one. Each once, all in the space. InvalidArgument
// if there is none at all.
absl::StatusOr<std::vector<Layout>> LayoutsInSpace(const Problem& problem,
                                                   const SpaceFilter& filter,
                                                   int max_stages);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SPACE_LAYOUTS_H_
