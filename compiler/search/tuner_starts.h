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

// Of one micro-batch, where each layer has its plain times.
Nanos TotalWork(const Problem& problem);

// The state whose keys are the start times of `plan`, which solves `problem`.
// List scheduling mostly leads back to the plan.
TunerState StateOfPlan(const Problem& problem, const Plan& plan);

// The layouts of the sweep's candidates, the shortest plan first, each once, at
// most `most`; with weights that order work as the policy "list" does.
std::vector<TunerState> StatesOfSweep(const Problem& problem,
                                      const SweepResult& sweep, int most);

// How the stages of a start go round the devices: every turn in one order, to
// and fro, or each in an order of its own.
enum class TurnOrder { kLoop, kToAndFro, kShuffled };
inline constexpr int kTurnOrders = 3;

// `turns` stages a device, at most as many stages as layers, of about equal
// work; the devices in a random order; and random weights.
TunerState RandomStart(const Problem& problem, int turns, TurnOrder order,
                       std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_STARTS_H_
