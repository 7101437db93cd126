#include "compiler/search/tuner_result.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"

namespace octopipe {

absl::Status FinishTuning(const Problem& problem, const TunerOptions& options,
                          TunerResult* result) {
  const Plan& plan = result->plan;
  const std::vector<Finding> findings = VerifyPlan(problem, plan);
  if (!findings.empty()) {
    return absl::InternalError(absl::StrCat("the tuner made an invalid plan: ",
                                            findings.front().message));
  }
  if (options.space != nullptr) {
    OCTOPIPE_RETURN_IF_ERROR(options.space->Check(plan));
  }
  OCTOPIPE_ASSIGN_OR_RETURN(
      result->metrics,
      EvaluatePlan(BuildStageTable(problem, plan.partition, plan.placement),
                   plan.order));
  return absl::OkStatus();
}

absl::Status CheckTunerOptions(const Problem& problem,
                               const TunerOptions& options) {
  if (options.threads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads is ", options.threads, ", expected at least 1"));
  }
  if (options.evaluations < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("evaluations is ", options.evaluations,
                     ", expected at least 0 (0: no limit)"));
  }
  if (options.time_limit_s < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the time limit is ", options.time_limit_s,
                     " s, expected at least 0 (0: no limit)"));
  }
  if (options.evaluations == 0 && options.time_limit_s == 0) {
    return absl::InvalidArgumentError(
        "a search needs an end; give evaluations or a time limit above 0");
  }
  if (options.warm_start == nullptr) return absl::OkStatus();
  const std::vector<Finding> findings =
      VerifyPlan(problem, *options.warm_start);
  if (!findings.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the plan to start from does not solve the problem: ",
                     findings.front().message));
  }
  if (options.space == nullptr) return absl::OkStatus();
  const absl::Status in_space = options.space->Check(*options.warm_start);
  if (in_space.ok()) return in_space;
  return absl::InvalidArgumentError(
      absl::StrCat("the plan to start from lies outside the search space: ",
                   in_space.message()));
}

}  // namespace octopipe
