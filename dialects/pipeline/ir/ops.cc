#include "dialects/pipeline/ir/ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialects/pipeline/ir/assembly_format.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialects/pipeline/ir/ops.cc.inc"

namespace octopipe::pipeline {
namespace {

std::optional<int64_t> ElementBits(mlir::Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    std::optional<int64_t> bits = ElementBits(complex.getElementType());
    if (!bits) return std::nullopt;
    return 2 * *bits;
  }
  if (!type.isIntOrFloat()) return std::nullopt;
  return type.getIntOrFloatBitWidth();
}

}  // namespace

std::optional<int64_t> TensorBytes(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return std::nullopt;
  std::optional<int64_t> bits = ElementBits(tensor.getElementType());
  if (!bits) return std::nullopt;
  // A dimension of 0 may stand behind a product that overflows.
  if (llvm::is_contained(tensor.getShape(), 0)) return 0;
  int64_t total = *bits;
  for (int64_t size : tensor.getShape()) {
    if (llvm::MulOverflow(total, size, total)) return std::nullopt;
  }
  return llvm::divideCeil(total, 8);
}

//===----------------------------------------------------------------------===//
// ModelOp
//===----------------------------------------------------------------------===//

mlir::RegionKind ModelOp::getRegionKind(unsigned index) {
  return mlir::RegionKind::Graph;
}

std::vector<StageOp> ModelOp::getStages() {
  auto stages = getBody().getOps<StageOp>();
  return {stages.begin(), stages.end()};
}

std::vector<LayerOp> ModelOp::getLayers() {
  std::vector<LayerOp> layers;
  getBody().walk([&](LayerOp layer) { layers.push_back(layer); });
  return layers;
}

//===----------------------------------------------------------------------===//
// LayerOp
//===----------------------------------------------------------------------===//

int64_t LayerOp::getOutputBytes() {
  int64_t total = 0;
  for (mlir::Type type : getOutputs().getTypes()) {
    total += TensorBytes(type).value_or(0);
  }
  return total;
}

int64_t LayerOp::getOutputGradBytes() {
  return getNoGrad() ? 0 : getOutputBytes();
}

std::vector<LayerOp> LayerOp::getProducers() {
  std::vector<LayerOp> producers;
  for (mlir::Value input : getInputs()) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(input)) {
      auto stage = getOperation()->getParentOfType<StageOp>();
      auto outer = llvm::cast<mlir::OpResult>(
          stage.getInputs()[argument.getArgNumber()]);
      auto from = llvm::cast<StageOp>(outer.getOwner());
      input = from.getBody().front().getTerminator()->getOperand(
          outer.getResultNumber());
    }
    producers.push_back(input.getDefiningOp<LayerOp>());
  }
  return producers;
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

mlir::RegionKind StageOp::getRegionKind(unsigned index) {
  return mlir::RegionKind::Graph;
}

// Prints `%s2` for the output of stage 2, and `%in` for what a stage reads.
void StageOp::getAsmResultNames(mlir::OpAsmSetValueNameFn set_name) {
  if (getNumResults() == 0) return;
  set_name(getResult(0), "s" + std::to_string(getIndex()));
}

void StageOp::getAsmBlockArgumentNames(mlir::Region& region,
                                       mlir::OpAsmSetValueNameFn set_name) {
  for (mlir::BlockArgument argument : region.getArguments()) {
    set_name(argument, "in");
  }
}

}  // namespace octopipe::pipeline
