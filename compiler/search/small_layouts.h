// All layouts of a small problem.

#ifndef OCTOPIPE_COMPILER_SEARCH_SMALL_LAYOUTS_H_
#define OCTOPIPE_COMPILER_SEARCH_SMALL_LAYOUTS_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/search_space.h"

namespace octopipe {

struct SmallLayout {
  Partition partition;
  Placement placement;
};

// How many layouts there are, or `most` if there are more.
int64_t CountLayouts(const Problem& problem, int64_t most);

// Every partition with every placement, but for those that are the same as
// another by the names of equal devices, and those that could be cut further at
// no cost:
// without launch overhead the items of a stage can run as those of its layers,
// one after the other, which hold no more memory, and in a chain send the same.
// Includes layouts that do not fit in memory. With `space`, which may be null,
// all layouts that lie in it instead, for it can tell those apart.
std::vector<SmallLayout> AllLayouts(const Problem& problem,
                                    const SpaceFilter* space);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SMALL_LAYOUTS_H_
