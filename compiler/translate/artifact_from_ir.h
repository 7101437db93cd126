// A schedule in the IR as the artifact that others read.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_ARTIFACT_FROM_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_ARTIFACT_FROM_IR_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// Problem and plan of `schedule`, checked, verified and simulated. `options`
// are recorded as what the plan was made with.
absl::StatusOr<Artifact> ArtifactFromIr(
    pipeline::ModelOp model, pipeline::ScheduleOp schedule,
    std::vector<std::pair<std::string, std::string>> options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_ARTIFACT_FROM_IR_H_
