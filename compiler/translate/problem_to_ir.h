// A Problem as a layer graph.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_TO_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_TO_IR_H_

#include <vector>

#include "compiler/schedule/problem.h"
#include "dialects/pipeline/ir/ops.h"
#include "mlir/IR/BuiltinOps.h"

namespace octopipe {

// Appends `problem`, which is valid but for devices that may be missing, to
// `module` as a model, behind its cluster if there are devices. The inverse of
// ProblemFromIr: an output of n bytes becomes a tensor<n x i8>; where nothing
// reads it, it stays so that its bytes are kept, unless it has none.
pipeline::ModelOp ProblemToIr(const Problem& problem, mlir::ModuleOp module);

// Gives `model` the devices and links of `problem`: a new cluster before it
// replaces the one that it named, which is erased if nothing else names it. Its
// location is the model's.
void ClusterToIr(const Problem& problem, pipeline::ModelOp model);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_TO_IR_H_
