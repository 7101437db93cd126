// The co-optimising tuner: one search over partition, placement and order.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/tuner_options.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

enum class TunerStop { kTarget, kEvaluations, kTime, kCancelled };

struct TunerResult {
  Plan plan;  // VerifyPlan has nothing to say about it
  Metrics metrics;
  Bound bound;
  // All that made the plan: given as TunerOptions::evaluations, with the same
  // seed and without a time limit, they make the same plan again.
  int64_t evaluations = 0;
  TunerStop stop = TunerStop::kEvaluations;
  std::vector<TunerStep> steps;  // from the sweep's best to the plan
};

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

// Checks the plan of `result` by VerifyPlan and against the space, and measures
// it. Internal if the search has made what it must not.
absl::Status FinishTuning(const Problem& problem, const TunerOptions& options,
                          TunerResult* result);

// InvalidArgument for what Tune refuses before it starts.
absl::Status CheckTunerOptions(const Problem& problem,
                               const TunerOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_H_
