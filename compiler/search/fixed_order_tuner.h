// The search for runtimes that have an order of their own: only the cut is
// left.

#ifndef OCTOPIPE_COMPILER_SEARCH_FIXED_ORDER_TUNER_H_
#define OCTOPIPE_COMPILER_SEARCH_FIXED_ORDER_TUNER_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/tuner_options.h"
#include "compiler/search/tuner_result.h"

namespace octopipe {

// Searches for a short plan in `options.space`, which is not nullptr and whose
// target has its own order: stages in a loop by 1F1B, or, with several a
// device, by interleaved 1F1B.
//
// Starts from the even, min-max and min-variance cuts into each number of
// stages, the best cuts in the space and that of `warm_start`; then shifts
// neighbouring boundaries by a layer as long as that helps, and again from the
// best, changed at random (iterated local search, Lourenco, Martin, Stutzle
// 2003). Each cut is simulated once. The result is the same for the same seed
// and evaluations; threads do not count. It ends as Tune does, and when it
// finds no more cuts.
//
// Of the warm start only the cut is used. Errors as of Tune.
absl::StatusOr<TunerResult> TuneFixedOrder(const Problem& problem,
                                           const TunerOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_FIXED_ORDER_TUNER_H_
