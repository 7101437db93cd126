// Where the tuner starts.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_STARTS_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_STARTS_H_

#include <random>
#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

// The state whose keys are the start times of `plan`, which solves `problem`.
// List scheduling mostly leads back to the plan.
TunerState StateOfPlan(const Problem& problem, const Plan& plan);

// The layouts of the sweep's candidates, the shortest plan first, each once, at
// most `most`; with weights that order work as the policy "list" does.
std::vector<TunerState> StatesOfSweep(const Problem& problem,
                                      const SweepOptions& options,
                                      const SweepResult& sweep, int most);

// A layout with stages of about equal work, D to `most_stages` of them: each
// device once in every D stages in a random order, or to and fro; and random
// weights.
TunerState RandomStart(const Problem& problem, int most_stages,
                       std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_STARTS_H_
