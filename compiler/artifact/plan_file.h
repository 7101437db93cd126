// A plan out of a schedule file, for another search to start from.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PLAN_FILE_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PLAN_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// The plan of `artifact`, if it solves `problem`: costs, links and memory may
// be others than those it was made for, but not the layers by name, the number
// of devices or the micro-batches. InvalidArgument names the first of these
// that differs, or what VerifyPlan finds first.
absl::StatusOr<Plan> PlanFor(const Artifact& artifact, const Problem& problem);

// PlanFor of the schedule file `path`; messages begin with the path.
absl::StatusOr<Plan> ReadPlanFor(const std::string& path,
                                 const Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PLAN_FILE_H_
