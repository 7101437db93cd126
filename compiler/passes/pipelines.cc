#include <memory>
#include <string>
#include <utility>

#include "compiler/passes/passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

namespace octopipe {

#define GEN_PASS_REGISTRATION
#include "compiler/passes/passes.h.inc"

namespace {

// The options of pipeline-sweep, under the same names.
struct PlanPipelineOptions
    : public mlir::PassPipelineOptions<PlanPipelineOptions> {
  Option<std::string> policy{*this, "policy",
                             llvm::cl::desc("Policy; empty tries all.")};
  Option<int> num_stages{*this, "num-stages",
                         llvm::cl::desc("Stages; 0 tries several counts."),
                         llvm::cl::init(0)};
  Option<std::string> objective{
      *this, "objective",
      llvm::cl::desc("Partition objective; empty tries all.")};
  ListOption<int> boundaries{*this, "boundaries",
                             llvm::cl::desc("The cut, for objective=given.")};
  Option<std::string> strategy{*this, "strategy",
                               llvm::cl::desc("Placement; empty tries all.")};
  ListOption<int> map{*this, "map",
                      llvm::cl::desc("The placement, for strategy=given.")};
  Option<BackwardSplit> split_backward{
      *this, "split-backward", llvm::cl::desc("Whether to split the backward."),
      llvm::cl::init(BackwardSplit::kAuto), BackwardSplitValues()};
};

// `planner` takes a layer graph to a schedule.
void AddWithChecks(std::unique_ptr<mlir::Pass> planner,
                   mlir::OpPassManager& manager) {
  VerifyPassOptions before, after;
  before.phase = Phase::kGraph;
  after.phase = Phase::kScheduled;
  manager.addPass(createVerifyPass(before));
  manager.addPass(std::move(planner));
  manager.addPass(createAnnotateMetricsPass());
  manager.addPass(createVerifyPass(after));
}

}  // namespace

void BuildPlanPipeline(mlir::OpPassManager& manager,
                       const SweepPassOptions& options) {
  AddWithChecks(createSweepPass(options), manager);
}

void BuildTunePipeline(mlir::OpPassManager& manager,
                       const TunePassOptions& options, TunerHooks hooks) {
  AddWithChecks(CreateTunePass(options, std::move(hooks)), manager);
}

void RegisterPasses() {
  registerPipelinePasses();
  mlir::PassPipelineRegistration<PlanPipelineOptions>(
      "pipeline-plan",
      "Plan a layer graph: the best of all policies, verified and measured.",
      [](mlir::OpPassManager& manager, const PlanPipelineOptions& given) {
        SweepPassOptions options;
        options.policy = given.policy;
        options.numStages = given.num_stages;
        options.objective = given.objective;
        options.boundaries.assign(given.boundaries.begin(),
                                  given.boundaries.end());
        options.strategy = given.strategy;
        options.map.assign(given.map.begin(), given.map.end());
        options.splitBackward = given.split_backward;
        BuildPlanPipeline(manager, options);
      });
}

}  // namespace octopipe
