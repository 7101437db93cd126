#include <string>

#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/order_by_policy.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_SCHEDULEPASS
#include "compiler/passes/passes.h.inc"

namespace {

class SchedulePass : public impl::SchedulePassBase<SchedulePass> {
 public:
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      if (mlir::failed(RunOn(model))) return signalPassFailure();
    }
  }

 private:
  mlir::LogicalResult RunOn(pipeline::ModelOp model) {
    if (mlir::failed(ExpectLevel(model, Level::kPlaced))) {
      return mlir::failure();
    }
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    if (memoryLimitBytes > 0) {
      for (Device& device : problem->devices) {
        device.memory_bytes = memoryLimitBytes;
      }
    }
    Plan plan;
    plan.partition = PartitionFromIr(model);
    plan.placement = PlacementFromIr(model);
    const StageTable table =
        BuildStageTable(*problem, plan.partition, plan.placement);
    absl::StatusOr<Order> order = OrderByPolicy(table, policy, splitBackward);
    if (!order.ok()) return EmitStatus(order.status(), model);
    plan.order = *std::move(order);
    if (mlir::failed(EmitFindings(VerifyPlan(*problem, plan), model))) {
      return mlir::failure();
    }
    OrderToIr(model, plan.order, std::string(policy));
    return mlir::success();
  }
};

}  // namespace
}  // namespace octopipe
