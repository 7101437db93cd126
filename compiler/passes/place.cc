#include <optional>
#include <vector>

#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/placement.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_PLACEPASS
#include "compiler/passes/passes.h.inc"

namespace {

class PlacePass : public impl::PlacePassBase<PlacePass> {
 public:
  using PlacePassBase::PlacePassBase;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      if (mlir::failed(RunOn(model))) return signalPassFailure();
    }
  }

 private:
  mlir::LogicalResult RunOn(pipeline::ModelOp model) {
    if (mlir::failed(ExpectLevel(model, Level::kPartitioned))) {
      return mlir::failure();
    }
    mlir::FailureOr<Problem> problem = ReadProblem(model);
    if (mlir::failed(problem)) return mlir::failure();
    const Partition partition = PartitionFromIr(model);
    const Placement placement = Place(*problem, partition);
    if (mlir::failed(EmitFindings(
            CheckPlacement(*problem, partition, placement), model))) {
      return mlir::failure();
    }
    PlacementToIr(model, placement);
    return mlir::success();
  }

  Placement Place(const Problem& problem, const Partition& partition) {
    const int devices = static_cast<int>(problem.devices.size());
    switch (strategy) {
      case PlacementStrategy::kLoop:
        return MakePlacement(PlacementPattern::kLoop, partition.stages(),
                             devices);
      case PlacementStrategy::kWave:
        return MakePlacement(PlacementPattern::kWave, partition.stages(),
                             devices);
      case PlacementStrategy::kBalanced:
        return BalancedPlacement(problem, partition);
      case PlacementStrategy::kGiven:
        break;
    }
    return {std::vector<int>(map.begin(), map.end())};
  }
};

}  // namespace
}  // namespace octopipe
