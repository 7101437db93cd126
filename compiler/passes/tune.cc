#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/artifact/plan_file.h"
#include "compiler/passes/model_level.h"
#include "compiler/passes/passes.h"
#include "compiler/search/fixed_order_tuner.h"
#include "compiler/search/search_space.h"
#include "compiler/search/space_text.h"
#include "compiler/search/tuner.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {

#define GEN_PASS_DEF_TUNEPASS
#include "compiler/passes/passes.h.inc"

namespace {

class TunePass : public impl::TunePassBase<TunePass> {
 public:
  using TunePassBase::TunePassBase;

  void SetHooks(TunerHooks hooks) { hooks_ = std::move(hooks); }

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
    if (absl::Status status = KeepWhole(Texts(noSplit), &*problem);
        !status.ok()) {
      return EmitStatus(status, model);
    }
    absl::StatusOr<SearchSpace> space =
        ParseSearchSpace(*problem, {target,
                                    {boundaries.begin(), boundaries.end()},
                                    Texts(pinStage),
                                    Texts(pinDevice)});
    if (!space.ok()) return EmitStatus(space.status(), model);
    TunerOptions options = Options();
    const SpaceFilter filter(*problem, *space);
    if (IsRestricted(*space)) options.space = &filter;
    options.split_backward &= filter.rules().can_split;
    Plan warm_start;
    if (!from.empty()) {
      absl::StatusOr<Plan> plan = ReadPlanFor(from, *problem);
      if (!plan.ok()) return EmitStatus(plan.status(), model);
      warm_start = *std::move(plan);
      options.warm_start = &warm_start;
    }
    // Both verify their plan.
    absl::StatusOr<TunerResult> tuned = filter.rules().has_own_order
                                            ? TuneFixedOrder(*problem, options)
                                            : Tune(*problem, options);
    if (!tuned.ok()) return EmitStatus(tuned.status(), model);
    PartitionToIr(model, tuned->plan.partition);
    PlacementToIr(model, tuned->plan.placement);
    // What makes the plan again, also after a time limit.
    std::string policy = "tune ";
    if (space->target != RuntimeTarget::kNative) {
      absl::StrAppend(&policy, "target=", filter.rules().name, " ");
    }
    absl::StrAppend(&policy, "evaluations=", tuned->evaluations,
                    " seed=", static_cast<uint64_t>(seed));
    OrderToIr(model, tuned->plan.order, policy);
    return mlir::success();
  }

  template <typename List>
  static std::vector<std::string> Texts(const List& list) {
    return {list.begin(), list.end()};
  }

  TunerOptions Options() {
    TunerOptions options;
    options.evaluations = evaluations;
    options.time_limit_s = static_cast<double>(timeLimitMs) / 1000;
    options.target_gap_ppm = targetGapPpm;
    options.seed = seed;
    options.threads = threads != 0
                          ? static_cast<int>(threads)
                          : std::max(1u, std::thread::hardware_concurrency());
    options.partition = partition;
    options.placement = placement;
    options.order = order;
    options.split_backward = splitBackward;
    options.cancel = hooks_.cancel;
    options.progress = hooks_.progress;
    return options;
  }

  TunerHooks hooks_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateTunePass(const TunePassOptions& options,
                                           TunerHooks hooks) {
  auto pass = std::make_unique<TunePass>(options);
  pass->SetHooks(std::move(hooks));
  return pass;
}

}  // namespace octopipe
