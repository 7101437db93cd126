#include "compiler/bounds/best_bound.h"
#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_ANNOTATEMETRICSPASS
#include "compiler/passes/passes.h.inc"

namespace {

class AnnotateMetricsPass
    : public impl::AnnotateMetricsPassBase<AnnotateMetricsPass> {
 public:
  using AnnotateMetricsPassBase::AnnotateMetricsPassBase;

  void runOnOperation() override {
    bool failed = false;
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
        failed |= mlir::failed(RunOn(model, schedule));
      }
    }
    if (failed) signalPassFailure();
  }

 private:
  mlir::LogicalResult RunOn(pipeline::ModelOp model,
                            pipeline::ScheduleOp schedule) {
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    const Plan plan = PlanFromIr(model, schedule);
    const StageTable table =
        BuildStageTable(*problem, plan.partition, plan.placement);
    absl::StatusOr<Metrics> metrics = EvaluatePlan(table, plan.order);
    if (!metrics.ok()) return EmitStatus(metrics.status(), model, schedule);
    const pipeline::MetricsAttr found =
        MetricsToIr(&getContext(), *metrics, BestBound(*problem));
    if (!check) {
      schedule.setMetricsAttr(found);
      return mlir::success();
    }
    const pipeline::MetricsAttr stored = schedule.getMetricsAttr();
    if (stored == found) return mlir::success();
    mlir::InFlightDiagnostic error = mlir::emitError(schedule.getLoc())
                                     << "schedule @" << schedule.getSymName();
    if (stored) {
      error << " says " << stored << ", the simulator finds " << found;
    } else {
      error << " has no metrics to check; run pipeline-annotate-metrics";
    }
    return error;
  }
};

}  // namespace
}  // namespace octopipe
