#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"
#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_SWEEPPASS
#include "compiler/passes/passes.h.inc"

namespace {

// The value of an enumeration whose last is kGiven that `name_of` spells
// `text`; nothing for "".
template <typename Enum>
absl::StatusOr<std::optional<Enum>> Named(const std::string& option,
                                          const std::string& text,
                                          absl::string_view (*name_of)(Enum)) {
  if (text.empty()) return std::nullopt;
  std::string known;
  for (int value = 0; value <= static_cast<int>(Enum::kGiven); ++value) {
    const absl::string_view name = name_of(static_cast<Enum>(value));
    if (text == name) return static_cast<Enum>(value);
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown ", option, " '", text,
                                                 "'; expected one of ", known));
}

class SweepPass : public impl::SweepPassBase<SweepPass> {
 public:
  using SweepPassBase::SweepPassBase;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      if (mlir::failed(RunOn(model))) return signalPassFailure();
    }
  }

 private:
  mlir::LogicalResult RunOn(pipeline::ModelOp model) {
    if (mlir::failed(ExpectLevel(model, Level::kGraph))) return mlir::failure();
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    absl::StatusOr<SweepOptions> options = Options();
    if (!options.ok()) return EmitStatus(options.status(), model);
    absl::StatusOr<SweepResult> best = SweepPolicies(*problem, *options);
    if (!best.ok()) return EmitStatus(best.status(), model);
    if (mlir::failed(EmitFindings(VerifyPlan(*problem, best->plan), model))) {
      return mlir::failure();
    }
    PartitionToIr(model, best->plan.partition);
    PlacementToIr(model, best->plan.placement);
    OrderToIr(model, best->plan.order, best->candidates[best->best].policy);
    return mlir::success();
  }

  absl::StatusOr<SweepOptions> Options() {
    SweepOptions options;
    if (!policy.empty()) options.policy = policy;
    if (numStages != 0) options.stages = numStages;
    OCTOPIPE_ASSIGN_OR_RETURN(
        options.partition, Named<PartitionObjective>("objective", objective,
                                                     &PartitionObjectiveName));
    OCTOPIPE_ASSIGN_OR_RETURN(
        options.placement,
        Named<PlacementStrategy>("strategy", strategy, &PlacementStrategyName));
    options.boundaries.assign(boundaries.begin(), boundaries.end());
    options.map.assign(map.begin(), map.end());
    options.split = splitBackward;
    return options;
  }
};

}  // namespace
}  // namespace octopipe
