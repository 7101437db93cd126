// A schedule with all that it was made from and all that is known about it: the
// value behind schedule.proto.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_ARTIFACT_H_
#define OCTOPIPE_COMPILER_ARTIFACT_ARTIFACT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// How a schedule was made.
struct Provenance {
  std::string tool;                                          // name and version
  std::string policy;                                        // "1f1b", "list"
  std::vector<std::pair<std::string, std::string>> options;  // name, value
  uint64_t seed = 0;
};

struct Artifact {
  Problem problem;
  Plan plan;
  // Of plan.order, as EvaluateOrder gives it.
  Timeline timeline;
  // The critical path is not stored: it follows from the timeline.
  Metrics metrics;
  std::vector<Bound> bounds;
  int64_t gap_ppm = 0;  // GapPpm of the makespan and the largest bound
  Provenance made_by;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_ARTIFACT_H_
