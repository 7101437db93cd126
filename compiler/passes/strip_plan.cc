#include "compiler/passes/passes.h"
#include "compiler/translate/plan_to_ir.h"

namespace octopipe {

#define GEN_PASS_DEF_STRIPPLANPASS
#include "compiler/passes/passes.h.inc"

namespace {

class StripPlanPass : public impl::StripPlanPassBase<StripPlanPass> {
 public:
  using StripPlanPassBase::StripPlanPassBase;

  void runOnOperation() override {
    const Level level = to == Phase::kAuto ? Level::kGraph : LevelOf(to);
    for (auto model : getOperation().getOps<pipeline::ModelOp>()) {
      if (level < Level::kTransfers) EraseTransfers(model);
      if (level < Level::kScheduled) EraseSchedules(model);
      if (level < Level::kPlaced) ErasePlacement(model);
      if (level < Level::kPartitioned) ErasePartition(model);
    }
  }
};

}  // namespace
}  // namespace octopipe
