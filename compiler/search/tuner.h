// The co-optimising tuner: one search over partition, placement and order.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/tuner_options.h"
#include "compiler/search/tuner_result.h"

namespace octopipe {

// Searches for a short plan of `problem`, which is valid.
//
// A problem small enough to try every layout is searched to the end first, or
// for a fixed number of steps (improve_small.h), if all kinds of move are on.
//
// Starts from the best plans of SweepPolicies, from those of balanced_starts.h,
// from `warm_start` and from random interleavings, so the result is never
// longer than the best of these that fits in memory. Several islands search in
// rounds of a fixed number of evaluations and tell each other of their best in
// between; threads share the islands, so the plan depends on the seed and the
// evaluations alone. An island moves boundaries, placements or the order of
// work, whichever the largest part of the idle time asks for, unless that has
// not helped of late; it accepts what lengthens the plan a little, less and
// less so (threshold accepting, Dueck and Scheuer 1990), and starts anew after
// a while.
//
// With very many micro-batches (MicroBatchesToExtend of extend_plan.h) all this
// happens with fewer, so that effort hardly depends on their number. Layouts
// are judged as with all of them, and the best plans extended; at the end these
// are compared, with all micro-batches, with the sweep's policy and the warm
// start. Then there is one step.
//
// A round that a time limit or `cancel` interrupts does not count, so that what
// is returned can be made again. The sweep is interrupted by `cancel` alone, as
// soon as there is a plan; then its evaluations made again give no longer one.
//
// With a space, sweep, starts and all that is tried lie in it.
//
// InvalidArgument for options out of range, a warm start that does not solve
// the problem or lies outside the space, or a space without any layout;
// otherwise the errors of SweepPolicies, if no plan is found.
absl::StatusOr<TunerResult> Tune(const Problem& problem,
                                 const TunerOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_H_
