// The best of all policies: every named schedule and list policy over several
// stage counts, partitions and placements, each evaluated exactly.

#ifndef OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_
#define OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/sweep_options.h"
#include "compiler/search/sweep_space.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// One combination that was tried.
struct SweepCandidate {
  int layout = 0;      // index into SweepResult::layouts
  std::string policy;  // "" where there is no cut, whatever the policy
  int stages = 0;
  PartitionObjective partition = PartitionObjective::kEven;
  PlacementStrategy placement = PlacementStrategy::kLoop;
  // Why there is no plan: no cut fits, the schedule does not apply, or the plan
  // is over a device's memory. The figures below are known if it is OK, and in
  // the last case.
  absl::Status refusal;
  Nanos makespan_ns = 0;
  Bytes peak_bytes = 0;  // of the device that needs most
};

struct SweepResult {
  Plan plan;
  Metrics metrics;
  int best = 0;                      // index of the plan in `candidates`
  std::vector<SweepLayout> layouts;  // LayoutsToTry
  // In the order tried: stages, partition, placement, policy, if not most
  // promising first. A partition and placement that came before is not tried
  // again.
  std::vector<SweepCandidate> candidates;
  // Even split, 1F1B, one stage a device: what a user has without a planner.
  // Whatever the options say; not one of `candidates`.
  SweepCandidate baseline;
};

// Even split, 1F1B, one stage a device: what a user has without a planner.
// `problem` is valid.
SweepCandidate EvaluateBaseline(const Problem& problem);

// Tries all combinations that `options` leave open and returns the best that
// fits the devices' memory: least makespan, then least peak memory, then fewest
// stages, then the first in `candidates`. Deterministic. Each costs
// O(stages · layers² + items · log stages).
//
// `problem` is valid. InvalidArgument for options that contradict the problem
// or each other, NotFound for an unknown policy. If every candidate is refused,
// a refusal of one of them: for memory, if there is one, since the others
// cannot be helped by memory, and there the one that needs least; else the
// first.
absl::StatusOr<SweepResult> SweepPolicies(const Problem& problem,
                                          const SweepOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_
