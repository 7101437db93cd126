#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/translate/problem_from_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_VERIFYPASS
#include "compiler/passes/passes.h.inc"

namespace {

class VerifyPass : public impl::VerifyPassBase<VerifyPass> {
 public:
  using VerifyPassBase::VerifyPassBase;

  void runOnOperation() override {
    bool failed = false;
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      failed |= mlir::failed(RunOn(model));
    }
    if (failed) signalPassFailure();
  }

 private:
  mlir::LogicalResult RunOn(pipeline::ModelOp model) {
    if (phase != Phase::kAuto &&
        mlir::failed(ExpectLevel(model, LevelOf(phase)))) {
      return mlir::failure();
    }
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    const Level level = LevelOf(model);
    if (level == Level::kGraph) return mlir::success();
    if (level != Level::kScheduled) {
      return EmitFindings(CheckPartition(*problem, PartitionFromIr(model)),
                          model);
    }
    bool failed = false;
    for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
      failed |= mlir::failed(EmitFindings(
          VerifyPlan(*problem, PlanFromIr(model, schedule)), model, schedule));
    }
    return mlir::failure(failed);
  }
};

}  // namespace
}  // namespace octopipe
