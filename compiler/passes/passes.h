// The passes of OctoPipe; passes.td describes them.

#ifndef OCTOPIPE_COMPILER_PASSES_PASSES_H_
#define OCTOPIPE_COMPILER_PASSES_PASSES_H_

#include <atomic>
#include <functional>
#include <memory>

#include "compiler/passes/pass_options.h"
#include "compiler/search/tuner_options.h"
#include "dialects/pipeline/ir/ops.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace octopipe {

#define GEN_PASS_DECL
#include "compiler/passes/passes.h.inc"

// pipeline-verify, pipeline-sweep, pipeline-annotate-metrics, pipeline-verify.
void BuildPlanPipeline(mlir::OpPassManager& manager,
                       const SweepPassOptions& options);

// What a program that runs pipeline-tune may want besides its options; see
// TunerOptions.
struct TunerHooks {
  std::function<void(const TunerProgress&)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

std::unique_ptr<mlir::Pass> CreateTunePass(const TunePassOptions& options,
                                           TunerHooks hooks);

// The same as BuildPlanPipeline, with pipeline-tune for pipeline-sweep.
void BuildTunePipeline(mlir::OpPassManager& manager,
                       const TunePassOptions& options, TunerHooks hooks);

// Every pass, and the pipeline `pipeline-plan`, by name.
void RegisterPasses();

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_PASSES_PASSES_H_
