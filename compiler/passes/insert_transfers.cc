#include "compiler/transfers/insert_transfers.h"

#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/transfers/deadlock_proof.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_INSERTTRANSFERSPASS
#include "compiler/passes/passes.h.inc"

namespace {

class InsertTransfersPass
    : public impl::InsertTransfersPassBase<InsertTransfersPass> {
 public:
  using InsertTransfersPassBase::InsertTransfersPassBase;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      if (mlir::failed(RunOn(model))) return signalPassFailure();
    }
  }

 private:
  TransferOptions Options() const {
    TransferOptions options;
    options.slots = slots;
    options.lookahead = lookahead;
    options.channel_per_kind = channels == ChannelSharing::kKind;
    options.group = group;
    options.defer_sends = deferSends;
    return options;
  }

  mlir::LogicalResult RunOn(pipeline::ModelOp model) {
    if (mlir::failed(ExpectLevel(model, Level::kScheduled))) {
      return mlir::failure();
    }
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
      if (schedule.getTransfersAttr()) continue;
      if (mlir::failed(RunOn(*problem, model, schedule))) {
        return mlir::failure();
      }
    }
    return mlir::success();
  }

  mlir::LogicalResult RunOn(const Problem& problem, pipeline::ModelOp model,
                            pipeline::ScheduleOp schedule) {
    const Plan plan = PlanFromIr(model, schedule);
    if (mlir::failed(
            EmitFindings(VerifyPlan(problem, plan), model, schedule))) {
      return mlir::failure();
    }
    const StageTable table =
        BuildStageTable(problem, plan.partition, plan.placement);
    absl::StatusOr<TransferPlan> transfers =
        InsertTransfers(table, plan.order, Options());
    if (!transfers.ok()) return EmitStatus(transfers.status(), model, schedule);
    if (mlir::failed(EmitFindings(ProveTransfers(table, plan.order, *transfers),
                                  model, schedule))) {
      return mlir::failure();
    }
    TransfersToIr(model, schedule, *transfers, Options());
    return mlir::success();
  }
};

}  // namespace
}  // namespace octopipe
