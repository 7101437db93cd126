// What a problem small enough to try every layout is finished with.

#ifndef OCTOPIPE_COMPILER_SEARCH_IMPROVE_SMALL_H_
#define OCTOPIPE_COMPILER_SEARCH_IMPROVE_SMALL_H_

#include <cstdint>
#include <optional>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/search_space.h"

namespace octopipe {

// Whether `problem` has few enough layouts and items.
bool IsSmall(const Problem& problem);

struct ImprovedPlan {
  Plan plan;
  Nanos makespan_ns = 0;
};

// A plan of `problem`, which IsSmall, below `limit`. Goes through all layouts
// with OrderSearch, those first that have the least floor, first in haste and
// then with more patience, until `*nodes` partial schedules, which are counted
// down, have been visited or all are done. Finds what moves of whole stages
// cannot: backwards of one stage of which some are whole and some split,
// devices that had better stay empty.
//
// Where ports are shared, each layout is searched as if they were not, and what
// is best there counts as what it takes.
//
// With `space`, which may be null and must leave the order open, in that space;
// with `split_backward`, backwards may be split.
std::optional<ImprovedPlan> ImproveSmall(const Problem& problem,
                                         const SpaceFilter* space,
                                         bool split_backward, Nanos limit,
                                         int64_t* nodes);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_IMPROVE_SMALL_H_
