// A model and its cluster as a Problem.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_FROM_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_FROM_IR_H_

#include "compiler/schedule/problem.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// Layers, devices and links stand in the order of the IR, so that index i of
// the problem is the i-th operation there, at every level. `model` has
// verified. A model without a cluster gives a problem without devices.
Problem ProblemFromIr(pipeline::ModelOp model);

// The cluster that `model` names; null if it names none.
pipeline::ClusterOp ClusterOf(pipeline::ModelOp model);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_PROBLEM_FROM_IR_H_
