// What every pass asks of a model before it starts.

#ifndef OCTOPIPE_COMPILER_PASSES_MODEL_LEVEL_H_
#define OCTOPIPE_COMPILER_PASSES_MODEL_LEVEL_H_

#include "compiler/schedule/problem.h"
#include "compiler/translate/plan_from_ir.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// Success if `model` is at `level`; else an error that names both and the pass
// that leads there.
mlir::LogicalResult ExpectLevel(pipeline::ModelOp model, Level level);

// Reads the model's problem and checks it; errors are emitted. A model without
// a cluster is one.
mlir::FailureOr<Problem> ReadProblem(pipeline::ModelOp model);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_PASSES_MODEL_LEVEL_H_
