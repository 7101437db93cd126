// What a search returns, and what all searches check before and after.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_RESULT_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_RESULT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
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

// Checks the plan of `result` by VerifyPlan and against the space, and measures
// it. Internal if the search has made what it must not.
absl::Status FinishTuning(const Problem& problem, const TunerOptions& options,
                          TunerResult* result);

// InvalidArgument for what Tune refuses before it starts.
absl::Status CheckTunerOptions(const Problem& problem,
                               const TunerOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_RESULT_H_
