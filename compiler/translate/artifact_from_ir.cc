#include "compiler/translate/artifact_from_ir.h"

#include <utility>

#include "compiler/artifact/make_artifact.h"
#include "compiler/base/version.h"
#include "compiler/translate/plan_from_ir.h"
#include "compiler/translate/problem_from_ir.h"

namespace octopipe {

absl::StatusOr<Artifact> ArtifactFromIr(
    pipeline::ModelOp model, pipeline::ScheduleOp schedule,
    std::vector<std::pair<std::string, std::string>> options) {
  Provenance made_by;
  made_by.tool = kToolVersion;
  made_by.policy = schedule.getPolicy().value_or("").str();
  made_by.options = std::move(options);
  return MakeArtifact(ProblemFromIr(model), PlanFromIr(model, schedule),
                      std::move(made_by));
}

}  // namespace octopipe
