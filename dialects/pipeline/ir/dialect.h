// The dialect `pipeline`; its operations are in ops.h, its attributes in
// attrs.h.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_

#include "dialects/pipeline/ir/dialect.h.inc"
#include "mlir/IR/Dialect.h"

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_H_
