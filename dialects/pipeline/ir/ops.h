// The operations of the dialect, and what their tensors weigh.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "dialects/pipeline/ir/attrs.h"
#include "dialects/pipeline/ir/dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

namespace octopipe::pipeline {

class LayerOp;
class StageOp;

// Bytes of one tensor, its bits rounded up; nothing if a dimension is dynamic,
// the element type has no width, or the product does not fit.
std::optional<int64_t> TensorBytes(mlir::Type type);

}  // namespace octopipe::pipeline

#define GET_OP_CLASSES
#include "dialects/pipeline/ir/ops.h.inc"

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_H_
