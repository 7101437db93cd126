// The dialect `pipeline`; its operations are in ops.h, its attributes in
// attrs.h.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_

#include "mlir/IR/Dialect.h"

// clang-format off: the generated code needs the headers above it.
#include "dialects/pipeline/ir/dialect.h.inc"
// clang-format on

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_
