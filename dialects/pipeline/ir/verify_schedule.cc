// The verifier of a schedule: what the orders of single devices show. That the
// orders together have no cycle and fit the memory is beyond it.

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/schedule/work_item.h"
#include "dialects/pipeline/ir/ops.h"
#include "dialects/pipeline/ir/verifiers.h"
#include "llvm/ADT/DenseMap.h"

namespace octopipe::pipeline {
namespace {

// Bounds the table of items, one byte per stage and micro-batch.
constexpr int64_t kMaxItems = int64_t{1} << 26;

// Stages that hand a tensor, or take a gradient back, on the same device.
struct Neighbours {
  std::vector<int> producers;
  std::vector<int> consumers;
};

class ScheduleVerifier {
 public:
  ScheduleVerifier(ScheduleOp schedule, ModelOp model)
      : schedule_(schedule),
        model_(model),
        stages_(model.getStages()),
        micro_batches_(model.getMicroBatches()) {}

  mlir::LogicalResult Verify(ClusterOp cluster,
                             mlir::SymbolTableCollection& symbols) {
    if (mlir::failed(VerifyModel()) ||
        mlir::failed(VerifyDevices(cluster, symbols))) {
      return mlir::failure();
    }
    CollectNeighbours();
    seen_.assign(stages_.size() * micro_batches_, 0);
    for (ProgramOp program : schedule_.getBody().getOps<ProgramOp>()) {
      if (mlir::failed(VerifyItems(program))) return mlir::failure();
    }
    return VerifyComplete();
  }

 private:
  // Bit `kind` is set once the compute item has been met.
  uint8_t& Seen(int64_t stage, int64_t micro_batch) {
    return seen_[stage * micro_batches_ + micro_batch];
  }
  bool IsSeen(WorkItem item) {
    return Seen(item.stage, item.micro_batch) & Bit(item.kind);
  }
  static uint8_t Bit(WorkKind kind) { return 1 << static_cast<int>(kind); }

  mlir::LogicalResult VerifyModel() {
    const char* missing = stages_.empty() ? "no stages"
                          : !stages_.front().getDeviceAttr()
                              ? "stages without a device"
                              : nullptr;
    if (missing) {
      mlir::InFlightDiagnostic error =
          mlir::emitError(schedule_.getLoc())
          << "schedule @" << schedule_.getSymName() << " is of model @"
          << model_.getSymName() << ", which has " << missing
          << "; expected every layer in a stage and every stage on a device";
      error.attachNote(model_.getLoc()) << "the model is here";
      return error;
    }
    // A whole backward is the least: two items per stage and micro-batch.
    const int64_t stages = stages_.size();
    if (micro_batches_ <= kMaxItems / 2 / stages) return mlir::success();
    return mlir::emitError(schedule_.getLoc())
           << "schedule @" << schedule_.getSymName() << " has " << stages
           << " stages and " << micro_batches_
           << " micro-batches; expected at most " << kMaxItems
           << " items, two for each stage and micro-batch";
  }

  mlir::LogicalResult VerifyDevices(ClusterOp cluster,
                                    mlir::SymbolTableCollection& symbols) {
    for (ProgramOp program : schedule_.getBody().getOps<ProgramOp>()) {
      mlir::FlatSymbolRefAttr device = program.getDeviceAttr();
      if (!symbols.lookupSymbolIn<DeviceOp>(cluster, device)) {
        return mlir::emitError(program.getLoc())
               << "program of the unknown device " << device << "; cluster @"
               << cluster.getSymName() << " has "
               << KnownNames<DeviceOp>(cluster.getBody());
      }
      auto [it, inserted] = programs_.insert({device, program});
      if (inserted) continue;
      mlir::InFlightDiagnostic error = mlir::emitError(program.getLoc())
                                       << "second program of " << device
                                       << "; expected one per device";
      error.attachNote(it->second.getLoc()) << "the first is here";
      return error;
    }
    return mlir::success();
  }

  void CollectNeighbours() {
    neighbours_.resize(stages_.size());
    for (StageOp stage : stages_) {
      for (mlir::Value input : stage.getInputs()) {
        auto result = llvm::cast<mlir::OpResult>(input);
        auto from = llvm::cast<StageOp>(result.getOwner());
        if (from.getDeviceAttr() != stage.getDeviceAttr()) continue;
        neighbours_[stage.getIndex()].producers.push_back(from.getIndex());
        mlir::Value inner = from.getBody().front().getTerminator()->getOperand(
            result.getResultNumber());
        if (inner.getDefiningOp<LayerOp>().getNoGrad()) continue;
        neighbours_[from.getIndex()].consumers.push_back(stage.getIndex());
      }
    }
  }

  mlir::LogicalResult VerifyItems(ProgramOp program) {
    const llvm::ArrayRef<WorkItem> items = program.getItems().getItems();
    for (size_t i = 0; i < items.size(); ++i) {
      if (!IsCompute(items[i].kind) && !schedule_.getTransfersAttr()) {
        return ErrorAt(program, i)
               << "is a transfer, but schedule @" << schedule_.getSymName()
               << " does not say how to read it; expected transfers <slots = "
                  "…> "
                  "behind its policy";
      }
      if (mlir::failed(VerifyRange(program, i)) ||
          (IsCompute(items[i].kind) &&
           (mlir::failed(VerifyOnce(program, i)) ||
            mlir::failed(VerifyDataFlow(program, i))))) {
        return mlir::failure();
      }
      if (IsCompute(items[i].kind)) {
        Seen(items[i].stage, items[i].micro_batch) |= Bit(items[i].kind);
      }
    }
    return mlir::success();
  }

  // `item 7 (B2.0) `, at the program.
  static mlir::InFlightDiagnostic ErrorAt(ProgramOp program, size_t position) {
    return mlir::emitError(program.getLoc())
           << "item " << position << " ("
           << ToString(program.getItems().getItems()[position]) << ") ";
  }

  mlir::LogicalResult VerifyRange(ProgramOp program, size_t position) {
    const WorkItem item = program.getItems().getItems()[position];
    const int64_t stages = stages_.size();
    if (item.stage >= stages) {
      return ErrorAt(program, position) << "names stage " << item.stage
                                        << "; expected 0 to " << stages - 1;
    }
    if (item.micro_batch >= micro_batches_) {
      return ErrorAt(program, position)
             << "names micro-batch " << item.micro_batch << "; expected 0 to "
             << micro_batches_ - 1;
    }
    StageOp stage = stages_[item.stage];
    if (stage.getDeviceAttr() == program.getDeviceAttr()) {
      return mlir::success();
    }
    mlir::InFlightDiagnostic error =
        ErrorAt(program, position)
        << "is on " << program.getDeviceAttr() << "; expected it on "
        << stage.getDeviceAttr() << ", which holds stage " << item.stage;
    error.attachNote(stage.getLoc()) << "the stage is here";
    return error;
  }

  // One program per device and one device per stage: what was met before
  // stands in this program.
  mlir::LogicalResult VerifyOnce(ProgramOp program, size_t position) {
    const llvm::ArrayRef<WorkItem> items = program.getItems().getItems();
    const WorkItem item = items[position];
    if (IsSeen(item)) {
      const auto* first = llvm::find(items, item);
      return ErrorAt(program, position)
             << "stands twice, first as item " << first - items.begin()
             << "; expected it once";
    }
    const bool whole = item.kind == WorkKind::kBackward;
    const bool split = item.kind == WorkKind::kInputGradient ||
                       item.kind == WorkKind::kWeightGradient;
    for (WorkItem other : {InputGradient(item.stage, item.micro_batch),
                           WeightGradient(item.stage, item.micro_batch),
                           Backward(item.stage, item.micro_batch)}) {
      const bool conflict = other.kind == WorkKind::kBackward ? split : whole;
      if (!conflict || !IsSeen(other)) continue;
      return ErrorAt(program, position)
             << "stands beside " << ToString(other)
             << "; expected the backward pass of a stage and micro-batch "
                "whole (BW) or split (B and W)";
    }
    return mlir::success();
  }

  mlir::LogicalResult VerifyDataFlow(ProgramOp program, size_t position) {
    const WorkItem item = program.getItems().getItems()[position];
    auto needs = [&](WorkItem other) {
      return IsSeen(other) ? mlir::success()
                           : ReportEarly(program, position, ToString(other));
    };
    switch (item.kind) {
      case WorkKind::kForward:
        for (int producer : neighbours_[item.stage].producers) {
          if (mlir::failed(needs(Forward(producer, item.micro_batch)))) {
            return mlir::failure();
          }
        }
        return mlir::success();
      case WorkKind::kWeightGradient:
        return needs(InputGradient(item.stage, item.micro_batch));
      default:
        break;
    }
    if (mlir::failed(needs(Forward(item.stage, item.micro_batch)))) {
      return mlir::failure();
    }
    for (int consumer : neighbours_[item.stage].consumers) {
      const WorkItem split = InputGradient(consumer, item.micro_batch);
      const WorkItem whole = Backward(consumer, item.micro_batch);
      if (IsSeen(split) || IsSeen(whole)) continue;
      return ReportEarly(program, position,
                         ToString(whole) + " or " + ToString(split));
    }
    return mlir::success();
  }

  static mlir::LogicalResult ReportEarly(ProgramOp program, size_t position,
                                         const std::string& needed) {
    return ErrorAt(program, position)
           << "reads the result of " << needed
           << "; expected that before it in the program of "
           << program.getDeviceAttr();
  }

  // The first compute item that is nowhere, and how many there are.
  mlir::LogicalResult VerifyComplete() {
    int64_t missing = 0;
    WorkItem first;
    auto miss = [&](WorkItem item) {
      if (++missing == 1) first = item;
    };
    const int32_t stages = stages_.size();
    for (int32_t s = 0; s < stages; ++s) {
      for (int32_t m = 0; m < micro_batches_; ++m) {
        if (!IsSeen(Forward(s, m))) miss(Forward(s, m));
        if (IsSeen(Backward(s, m))) continue;
        if (!IsSeen(InputGradient(s, m))) {
          miss(Backward(s, m));
        } else if (!IsSeen(WeightGradient(s, m))) {
          miss(WeightGradient(s, m));
        }
      }
    }
    if (missing == 0) return mlir::success();
    StageOp stage = stages_[first.stage];
    auto program = programs_.find(stage.getDeviceAttr());
    mlir::InFlightDiagnostic error =
        mlir::emitError(program == programs_.end() ? schedule_.getLoc()
                                                   : program->second.getLoc());
    error << "no item " << ToString(first);
    if (first.kind == WorkKind::kBackward) {
      error << ", whole or split,";
    }
    error << " in the program of " << stage.getDeviceAttr()
          << ", which holds stage " << first.stage
          << "; missing in all: " << missing;
    error.attachNote(stage.getLoc()) << "the stage is here";
    return error;
  }

  ScheduleOp schedule_;
  ModelOp model_;
  std::vector<StageOp> stages_;
  const int64_t micro_batches_;
  std::vector<Neighbours> neighbours_;
  llvm::DenseMap<mlir::Attribute, ProgramOp> programs_;
  std::vector<uint8_t> seen_;
};

}  // namespace

mlir::LogicalResult ScheduleOp::verifyRegions() {
  if (mlir::Operation* other = FirstOtherThan<ProgramOp>(getBody())) {
    return mlir::emitError(other->getLoc())
           << "schedule @" << getSymName() << " holds '" << other->getName()
           << "'; expected pipeline.program";
  }
  return mlir::success();
}

mlir::LogicalResult ScheduleOp::verifySymbolUses(
    mlir::SymbolTableCollection& symbols) {
  auto model = symbols.lookupNearestSymbolFrom<ModelOp>(*this, getModelAttr());
  if (!model) {
    return mlir::emitError(getLoc())
           << "schedule @" << getSymName() << " is of the unknown model "
           << getModelAttr() << "; known: " << KnownNamesAround<ModelOp>(*this);
  }
  if (!model.getClusterAttr()) {
    return mlir::emitError(getLoc())
           << "schedule @" << getSymName() << " is of model @"
           << model.getSymName() << ", which names no cluster";
  }
  auto cluster =
      symbols.lookupNearestSymbolFrom<ClusterOp>(model, model.getClusterAttr());
  // A model on an unknown cluster is reported as such.
  if (!cluster) return mlir::success();
  return ScheduleVerifier(*this, model).Verify(cluster, symbols);
}

}  // namespace octopipe::pipeline
