// Verifiers of the machine, of layers and of references. The body of a model is
// verified in verify_model.cc, a schedule in verify_schedule.cc.

#include "dialects/pipeline/ir/verifiers.h"

#include <cstdint>
#include <utility>

#include "dialects/pipeline/ir/ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

namespace octopipe::pipeline {
namespace {

// `owner` is how the message names the operation: `device @gpu0`.
mlir::LogicalResult VerifyAtLeast(mlir::Operation* op, const llvm::Twine& owner,
                                  llvm::StringRef key, int64_t value,
                                  int64_t least) {
  if (value >= least) return mlir::success();
  return mlir::emitError(op->getLoc())
         << owner << ": " << key << " is " << value << "; expected at least "
         << least;
}

}  // namespace

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

mlir::LogicalResult ClusterOp::verifyRegions() {
  if (mlir::Operation* other = FirstOtherThan<DeviceOp, LinkOp>(getBody())) {
    return mlir::emitError(other->getLoc())
           << "cluster @" << getSymName() << " holds '" << other->getName()
           << "'; expected pipeline.device or pipeline.link";
  }
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, LinkOp> links;
  for (LinkOp link : getBody().getOps<LinkOp>()) {
    auto [it, inserted] =
        links.insert({{link.getSourceAttr(), link.getTargetAttr()}, link});
    if (inserted) continue;
    mlir::InFlightDiagnostic error =
        mlir::emitError(link.getLoc())
        << "second link from " << link.getSourceAttr() << " to "
        << link.getTargetAttr() << "; expected one per ordered pair";
    error.attachNote(it->second.getLoc()) << "the first is here";
    return error;
  }
  return mlir::success();
}

mlir::LogicalResult DeviceOp::verify() {
  const std::string owner = "device @" + getSymName().str();
  if (mlir::failed(VerifyAtLeast(*this, owner, "memory_bytes",
                                 getMemoryBytes().value_or(1), 1))) {
    return mlir::failure();
  }
  return VerifyAtLeast(*this, owner, "speed_permille",
                       getSpeedPermille().value_or(1000), 1);
}

mlir::LogicalResult LinkOp::verify() {
  if (getSource() == getTarget()) {
    return mlir::emitError(getLoc()) << "link from " << getSourceAttr()
                                     << " to itself; expected two devices";
  }
  const std::string owner =
      "link from @" + getSource().str() + " to @" + getTarget().str();
  if (mlir::failed(
          VerifyAtLeast(*this, owner, "latency_ns", getLatencyNs(), 0))) {
    return mlir::failure();
  }
  return VerifyAtLeast(*this, owner, "bytes_per_us", getBytesPerUs(), 0);
}

mlir::LogicalResult LinkOp::verifySymbolUses(
    mlir::SymbolTableCollection& symbols) {
  auto cluster = llvm::cast<ClusterOp>((*this)->getParentOp());
  for (mlir::FlatSymbolRefAttr end : {getSourceAttr(), getTargetAttr()}) {
    if (symbols.lookupSymbolIn<DeviceOp>(cluster, end)) continue;
    return mlir::emitError(getLoc())
           << "link names the unknown device " << end << "; cluster @"
           << cluster.getSymName() << " has "
           << KnownNames<DeviceOp>(cluster.getBody());
  }
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Counts, tensors and references of the model
//===----------------------------------------------------------------------===//

mlir::LogicalResult ModelOp::verify() {
  const std::string owner = "model @" + getSymName().str();
  if (mlir::failed(
          VerifyAtLeast(*this, owner, "micro_batches", getMicroBatches(), 1)) ||
      mlir::failed(VerifyAtLeast(*this, owner, "launch_overhead_ns",
                                 getLaunchOverheadNs().value_or(0), 0))) {
    return mlir::failure();
  }
  return VerifyAtLeast(*this, owner, "tokens", getTokens().value_or(0), 0);
}

mlir::LogicalResult ModelOp::verifySymbolUses(
    mlir::SymbolTableCollection& symbols) {
  if (!getClusterAttr() ||
      symbols.lookupNearestSymbolFrom<ClusterOp>(*this, getClusterAttr())) {
    return mlir::success();
  }
  return mlir::emitError(getLoc())
         << "model @" << getSymName() << " is on the unknown cluster "
         << getClusterAttr()
         << "; known: " << KnownNamesAround<ClusterOp>(*this);
}

mlir::LogicalResult LayerOp::verify() {
  int64_t total = 0;
  for (mlir::Type type : getOutputs().getTypes()) {
    std::optional<int64_t> bytes = TensorBytes(type);
    if (!bytes || llvm::AddOverflow(total, *bytes, total)) {
      return mlir::emitError(getLoc())
             << "layer \"" << getLayerName() << "\" has an output of type "
             << type
             << "; expected static sizes and a number of bytes below 2^63";
    }
  }
  return mlir::success();
}

mlir::LogicalResult StageOp::verifySymbolUses(
    mlir::SymbolTableCollection& symbols) {
  mlir::FlatSymbolRefAttr device = getDeviceAttr();
  if (!device) return mlir::success();
  auto model = llvm::cast<ModelOp>((*this)->getParentOp());
  if (!model.getClusterAttr()) {
    return mlir::emitError(getLoc())
           << "stage " << getIndex() << " is on device " << device
           << ", but model @" << model.getSymName()
           << " names no cluster; expected 'on @cluster' there";
  }
  auto cluster =
      symbols.lookupNearestSymbolFrom<ClusterOp>(model, model.getClusterAttr());
  // A model on an unknown cluster is reported as such.
  if (!cluster || symbols.lookupSymbolIn<DeviceOp>(cluster, device)) {
    return mlir::success();
  }
  return mlir::emitError(getLoc())
         << "stage " << getIndex() << " is on the unknown device " << device
         << "; cluster @" << cluster.getSymName() << " has "
         << KnownNames<DeviceOp>(cluster.getBody());
}

}  // namespace octopipe::pipeline
