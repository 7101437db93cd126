#include <vector>

#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/transfers/deadlock_proof.h"
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
    if (level < Level::kScheduled) {
      return EmitFindings(CheckPartition(*problem, PartitionFromIr(model)),
                          model);
    }
    bool failed = false;
    for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
      failed |= mlir::failed(EmitFindings(
          VerifySchedule(*problem, model, schedule), model, schedule));
    }
    return mlir::failure(failed);
  }

  static std::vector<Finding> VerifySchedule(const Problem& problem,
                                             pipeline::ModelOp model,
                                             pipeline::ScheduleOp schedule) {
    const Plan plan = PlanFromIr(model, schedule);
    std::vector<Finding> findings = VerifyPlan(problem, plan);
    // Transfers are proven on an order that holds by itself.
    if (!findings.empty() || !schedule.getTransfersAttr()) return findings;
    const StageTable table =
        BuildStageTable(problem, plan.partition, plan.placement);
    return ProveTransfers(table, plan.order,
                          TransfersFromIr(model, schedule, table));
  }
};

}  // namespace
}  // namespace octopipe
