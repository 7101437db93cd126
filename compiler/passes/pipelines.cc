#include <string>

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

}  // namespace

void BuildPlanPipeline(mlir::OpPassManager& manager,
                       const SweepPassOptions& options) {
  VerifyPassOptions before, after;
  before.phase = Phase::kGraph;
  after.phase = Phase::kScheduled;
  manager.addPass(createVerifyPass(before));
  manager.addPass(createSweepPass(options));
  manager.addPass(createAnnotateMetricsPass());
  manager.addPass(createVerifyPass(after));
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
