#include "compiler/artifact/plan_file.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/schedule_proto.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/verify_plan.h"

namespace octopipe {
namespace {

absl::Status ExpectSame(absl::string_view what, size_t of_plan,
                        size_t of_problem) {
  if (of_plan == of_problem) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the plan to start from has ",
                                                 of_plan, " ", what,
                                                 ", the model ", of_problem));
}

}  // namespace

absl::StatusOr<Plan> PlanFor(const Artifact& artifact, const Problem& problem) {
  const Problem& from = artifact.problem;
  OCTOPIPE_RETURN_IF_ERROR(
      ExpectSame("layers", from.layers.size(), problem.layers.size()));
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    if (from.layers[l].name == problem.layers[l].name) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "layer ", l, " of the plan to start from is '", from.layers[l].name,
        "', of the model '", problem.layers[l].name, "'"));
  }
  OCTOPIPE_RETURN_IF_ERROR(
      ExpectSame("devices", from.devices.size(), problem.devices.size()));
  OCTOPIPE_RETURN_IF_ERROR(
      ExpectSame("micro-batches", static_cast<size_t>(from.micro_batches),
                 static_cast<size_t>(problem.micro_batches)));
  const std::vector<Finding> findings = VerifyPlan(problem, artifact.plan);
  if (!findings.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the plan to start from does not solve this model: ",
                     findings.front().message));
  }
  return artifact.plan;
}

absl::StatusOr<Plan> ReadPlanFor(const std::string& path,
                                 const Problem& problem) {
  OCTOPIPE_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  const absl::StatusOr<Artifact> artifact = DecodeSchedule(contents);
  if (!artifact.ok()) return InFile(DisplayName(path), artifact.status());
  absl::StatusOr<Plan> plan = PlanFor(*artifact, problem);
  if (!plan.ok()) return InFile(DisplayName(path), plan.status());
  return plan;
}

}  // namespace octopipe
