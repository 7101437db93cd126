// The attributes of the dialect: costs of a layer, items of a program, metrics
// of a schedule.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_H_

#include <cstdint>
#include <optional>

#include "compiler/schedule/work_item.h"
#include "llvm/ADT/Hashing.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace octopipe {

// Lets MLIR unique arrays of items.
inline llvm::hash_code hash_value(const WorkItem& item) {
  return llvm::hash_combine(static_cast<uint8_t>(item.kind), item.slot,
                            item.stage, item.micro_batch, item.peer);
}

}  // namespace octopipe

#include "dialects/pipeline/ir/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pipeline/ir/attrs.h.inc"

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_H_
