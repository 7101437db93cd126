#include <algorithm>
#include <vector>

#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/partition_dp.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_PARTITIONPASS
#include "compiler/passes/passes.h.inc"

namespace {

class PartitionPass : public impl::PartitionPassBase<PartitionPass> {
 public:
  using PartitionPassBase::PartitionPassBase;

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
    absl::StatusOr<Partition> partition = Cut(*problem);
    if (!partition.ok()) return EmitStatus(partition.status(), model);
    if (mlir::failed(
            EmitFindings(CheckPartition(*problem, *partition), model))) {
      return mlir::failure();
    }
    PartitionToIr(model, *partition);
    return mlir::success();
  }

  absl::StatusOr<Partition> Cut(const Problem& problem) {
    const int devices = static_cast<int>(problem.devices.size());
    const int stages = numStages == 0 ? devices : numStages;
    // More stages than layers is the core's to refuse, before it looks here.
    const int placed = std::clamp<int>(stages, 0, problem.layers.size());
    const Placement placement = MakePlacement(
        strategy == PlacementStrategy::kWave ? PlacementPattern::kWave
                                             : PlacementPattern::kLoop,
        placed, devices);
    switch (objective) {
      case PartitionObjective::kEven:
        return PartitionEven(problem, stages);
      case PartitionObjective::kMinMax:
        return PartitionMinMax(problem, stages, placement);
      case PartitionObjective::kMinVariance:
        return PartitionMinVariance(problem, stages, placement);
      case PartitionObjective::kGiven:
        break;
    }
    Partition given;
    given.begin.insert(given.begin.end(), boundaries.begin(), boundaries.end());
    given.begin.push_back(static_cast<int>(problem.layers.size()));
    return given;
  }
};

}  // namespace
}  // namespace octopipe
