// The best of all policies: every named schedule and list policy over several
// stage counts, partitions and placements, each evaluated exactly.

#ifndef OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_
#define OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/simulator/metrics.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

enum class PartitionObjective { kEven, kMinMax, kMinVariance, kGiven };
enum class PlacementStrategy { kLoop, kWave, kBalanced, kGiven };

// "even", "min-max", "min-variance", "given"; "loop", "v", "balanced", "given".
absl::string_view PartitionObjectiveName(PartitionObjective objective);
absl::string_view PlacementStrategyName(PlacementStrategy strategy);

// A list policy by name: "list" is Policy{} and the others, "list-…", order its
// rules otherwise.
struct ListPolicy {
  absl::string_view name;
  Policy policy;
};
absl::Span<const ListPolicy> ListPolicies();

// What the sweep may vary; a field that is set is kept fixed.
struct SweepOptions {
  // A named schedule or a list policy; "list" stands for all list policies.
  std::optional<std::string> policy;
  // Stages. Otherwise D, 2D, 3D, 4D, 6D, 8D, … up to `max_stages` and the
  // number of layers, for D devices; the layers' number itself if it is below
  // D.
  std::optional<int> stages;
  int max_stages = 64;
  // kGiven takes `boundaries`, the first layer of each stage but the first (so
  // the stages are one more). Otherwise even, min-max and min-variance.
  std::optional<PartitionObjective> partition;
  std::vector<int> boundaries;
  // kGiven takes `map`, the device of each stage. Otherwise loop, wave and
  // balanced.
  std::optional<PlacementStrategy> placement;
  std::vector<int> map;
  // kNever leaves out the schedules that split the backward, kAlways the
  // others. List policies follow it.
  BackwardSplit split = BackwardSplit::kAuto;
  // Called after each candidate with the number done and their total.
  std::function<void(int done, int total)> progress;
};

// One combination that was tried.
struct SweepCandidate {
  std::string policy;
  int stages = 0;
  PartitionObjective partition = PartitionObjective::kEven;
  PlacementStrategy placement = PlacementStrategy::kLoop;
  // Why there is no plan: the schedule does not apply, no cut fits, or the plan
  // is over a device's memory. The figures below count if it is OK.
  absl::Status refusal;
  Nanos makespan_ns = 0;
  Bytes peak_bytes = 0;  // of the device that needs most
};

struct SweepResult {
  Plan plan;
  Metrics metrics;
  int best = 0;  // index of the plan in `candidates`
  // In the order tried: stages, partition, placement, policy.
  std::vector<SweepCandidate> candidates;
  // Even split, 1F1B, one stage a device: what a user has without a planner.
  // Also evaluated where the options leave it out, and then not in
  // `candidates`.
  SweepCandidate baseline;
};

// Tries all combinations that `options` leave open and returns the best that
// fits the devices' memory: least makespan, then least peak memory, then fewest
// stages, then the first in `candidates`. Deterministic. Every combination
// costs O(stages · layers² + items · log items).
//
// `problem` is valid. InvalidArgument for options that contradict the problem
// or each other (NotFound for an unknown policy); if every candidate is
// refused, the refusal that all share or else the one that came nearest:
// ResourceExhausted, if memory was all that failed for some candidate.
absl::StatusOr<SweepResult> SweepPolicies(const Problem& problem,
                                          const SweepOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_POLICY_SWEEP_H_
