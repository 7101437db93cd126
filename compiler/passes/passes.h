// The passes of OctoPipe; passes.td describes them.

#ifndef OCTOPIPE_COMPILER_PASSES_PASSES_H_
#define OCTOPIPE_COMPILER_PASSES_PASSES_H_

#include "compiler/passes/pass_options.h"
#include "dialects/pipeline/ir/ops.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace octopipe {

#define GEN_PASS_DECL
#include "compiler/passes/passes.h.inc"

// pipeline-verify, pipeline-sweep, pipeline-annotate-metrics, pipeline-verify.
void BuildPlanPipeline(mlir::OpPassManager& manager,
                       const SweepPassOptions& options);

// Every pass, and the pipeline `pipeline-plan`, by name.
void RegisterPasses();

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_PASSES_PASSES_H_
