// A plan for few micro-batches, made one for many.
//
// After a warm-up a pipeline repeats itself: what a device does for
// micro-batch m + 1 it did for micro-batch m one period before. So the
// micro-batches of the warm-up keep their place from the start, those of the
// cool-down theirs from the end, and a few in the middle are repeated as often
// as it takes.

#ifndef OCTOPIPE_COMPILER_SEARCH_EXTEND_PLAN_H_
#define OCTOPIPE_COMPILER_SEARCH_EXTEND_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// The most orders of all micro-batches that ExtendPlans evaluates, unless there
// are hardly more than those of the plans.
inline constexpr int kMostFullRuns = 6;

struct ExtendedPlan {
  Plan plan;
  Nanos makespan_ns = 0;
  int full_runs = 0;  // orders of all micro-batches that were evaluated
};

// The number of micro-batches from which to extend a plan for `problem`; 0 if
// there are so few that it is better solved as it is. Beyond several times the
// depth of the pipeline it depends on the remainder by 4 alone, so that one,
// two or four micro-batches are repeated a whole number of times.
int64_t MicroBatchesToExtend(const Problem& problem);

// The order of `plan` without the micro-batches from `micro_batches` on. It
// solves the problem with as many.
Plan ShortenPlan(const Plan& plan, int64_t micro_batches);

// The best of several extensions of each of `plans`, which solve `problem` with
// `micro_batches` micro-batches instead of its own: one to four micro-batches
// of the middle are repeated with the period of their starts or that of the
// busiest device, and an item runs exactly in that order, or is list scheduled
// with it as priority where memory or links ask for another. They are judged by
// what some more micro-batches cost, and the best few carried out. Of large
// plans only the last few are tried, at least one. Deterministic. Memory is
// kept.
//
// InvalidArgument if `micro_batches` is not from 1 to that of `problem`, or a
// plan splits the backward of a stage for some micro-batches only or deadlocks;
// ResourceExhausted if no extension fits.
absl::StatusOr<ExtendedPlan> ExtendPlans(const Problem& problem,
                                         int64_t micro_batches,
                                         absl::Span<const Plan> plans);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_EXTEND_PLAN_H_
