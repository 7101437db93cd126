// A plan with everything that is known about it.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_MAKE_ARTIFACT_H_
#define OCTOPIPE_COMPILER_ARTIFACT_MAKE_ARTIFACT_H_

#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"

namespace octopipe {

// Checks `problem`, verifies `plan`, simulates it and adds the bounds: nothing
// in the result is taken on trust. The status of the findings, if there are
// any.
absl::StatusOr<Artifact> MakeArtifact(Problem problem, Plan plan,
                                      Provenance made_by);

// Compares what a schedule says of itself with what MakeArtifact finds for its
// problem and plan. DataLoss, with both values, for the first of makespan,
// timeline, device metrics and gap that differs. Bounds may be weaker than
// those found, as of an earlier release; but none may be beaten, and the gap is
// to the largest of them.
absl::Status CompareArtifacts(const Artifact& stored, const Artifact& found);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_MAKE_ARTIFACT_H_
