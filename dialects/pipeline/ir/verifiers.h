// What the verifiers of single operations share.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_VERIFIERS_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_VERIFIERS_H_

#include <string>

#include "dialects/pipeline/ir/ops.h"
#include "mlir/IR/SymbolTable.h"

namespace octopipe::pipeline {

// "@gpu0, @gpu1": the names of the operations of one type in `region`, the
// first eight of them, or "none".
template <typename OpTy>
std::string KnownNames(mlir::Region& region) {
  constexpr int kShown = 8;
  std::string names;
  int count = 0;
  for (OpTy op : region.getOps<OpTy>()) {
    if (++count > kShown) continue;
    if (count > 1) names += ", ";
    names += "@" + op.getSymName().str();
  }
  if (count > kShown) names += ", ... (" + std::to_string(count) + " in all)";
  return count == 0 ? "none" : names;
}

// As above, in the symbol table that `op` resolves its references in.
template <typename OpTy>
std::string KnownNamesAround(mlir::Operation* op) {
  mlir::Operation* table =
      mlir::SymbolTable::getNearestSymbolTable(op->getParentOp());
  return table ? KnownNames<OpTy>(table->getRegion(0)) : "none";
}

// The first operation of `body` that is not one of OpTys, if any.
template <typename... OpTys>
mlir::Operation* FirstOtherThan(mlir::Region& body) {
  for (mlir::Operation& op : body.getOps()) {
    if (!llvm::isa<OpTys...>(op)) return &op;
  }
  return nullptr;
}

}  // namespace octopipe::pipeline

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_VERIFIERS_H_
