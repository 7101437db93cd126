#include "compiler/translate/plan_to_ir.h"

#include <string>
#include <vector>

#include "compiler/translate/plan_from_ir.h"
#include "compiler/translate/problem_from_ir.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace octopipe {
namespace {

using Layers = llvm::ArrayRef<pipeline::LayerOp>;

// Wraps one run of layers. `available` maps each tensor that an earlier stage
// gave away to that stage's result; this stage's results are added to it.
class StageBuilder {
 public:
  StageBuilder(pipeline::ModelOp model, int index, Layers layers)
      : model_(model), index_(index), layers_(layers) {
    for (pipeline::LayerOp layer : layers) inside_.insert(layer);
  }

  void Build(llvm::DenseMap<mlir::Value, mlir::Value>& available) {
    const llvm::SmallVector<mlir::Value> inputs = Inputs();
    const llvm::SmallVector<mlir::Value> outputs = Outputs();
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value input : inputs)
      operands.push_back(available.lookup(input));

    mlir::OpBuilder builder(model_.getBody().front().getTerminator());
    llvm::SmallVector<mlir::Location> locations;
    for (pipeline::LayerOp layer : layers_) locations.push_back(layer.getLoc());
    auto stage = pipeline::StageOp::create(
        builder, builder.getFusedLoc(locations),
        mlir::TypeRange(mlir::ValueRange(outputs)),
        builder.getI64IntegerAttr(index_), /*device=*/nullptr, operands);

    mlir::Block* body = builder.createBlock(&stage.getBody());
    llvm::DenseMap<mlir::Value, mlir::Value> argument_of;
    for (mlir::Value input : inputs) {
      argument_of[input] = body->addArgument(input.getType(), input.getLoc());
    }
    for (pipeline::LayerOp layer : layers_) {
      layer->moveBefore(body, body->end());
      for (mlir::OpOperand& operand : layer->getOpOperands()) {
        if (mlir::Value argument = argument_of.lookup(operand.get())) {
          operand.set(argument);
        }
      }
    }
    builder.setInsertionPointToEnd(body);
    pipeline::YieldOp::create(builder, stage.getLoc(), outputs);
    for (auto [output, result] : llvm::zip_equal(outputs, stage.getOutputs())) {
      available[output] = result;
    }
  }

 private:
  // What the layers read from outside, in the order of first use.
  llvm::SmallVector<mlir::Value> Inputs() {
    llvm::SetVector<mlir::Value> inputs;
    for (pipeline::LayerOp layer : layers_) {
      for (mlir::Value input : layer.getInputs()) {
        if (!inside_.contains(input.getDefiningOp())) inputs.insert(input);
      }
    }
    return inputs.takeVector();
  }

  // What layers outside read.
  llvm::SmallVector<mlir::Value> Outputs() {
    llvm::SmallVector<mlir::Value> outputs;
    for (pipeline::LayerOp layer : layers_) {
      for (mlir::Value output : layer.getOutputs()) {
        if (llvm::any_of(output.getUsers(), [&](mlir::Operation* user) {
              return !inside_.contains(user);
            })) {
          outputs.push_back(output);
        }
      }
    }
    return outputs;
  }

  pipeline::ModelOp model_;
  int index_;
  Layers layers_;
  llvm::DenseSet<mlir::Operation*> inside_;
};

std::string FreeScheduleName(pipeline::ModelOp model) {
  const std::string wanted = model.getSymName().str() + "_plan";
  std::string name = wanted;
  for (int n = 0; mlir::SymbolTable::lookupSymbolIn(model->getParentOp(), name);
       ++n) {
    name = wanted + "_" + std::to_string(n);
  }
  return name;
}

}  // namespace

void PartitionToIr(pipeline::ModelOp model, const Partition& partition) {
  const std::vector<pipeline::LayerOp> layers = model.getLayers();
  llvm::DenseMap<mlir::Value, mlir::Value> available;
  for (int s = 0; s < partition.stages(); ++s) {
    const int begin = partition.begin[s];
    const int end = partition.begin[s + 1];
    StageBuilder(model, s, Layers(layers).slice(begin, end - begin))
        .Build(available);
  }
}

void PlacementToIr(pipeline::ModelOp model, const Placement& placement) {
  std::vector<mlir::FlatSymbolRefAttr> devices;
  for (auto device : ClusterOf(model).getBody().getOps<pipeline::DeviceOp>()) {
    devices.push_back(mlir::FlatSymbolRefAttr::get(device.getSymNameAttr()));
  }
  int s = 0;
  for (pipeline::StageOp stage : model.getStages()) {
    stage.setDeviceAttr(devices[placement.device[s++]]);
  }
}

pipeline::ScheduleOp OrderToIr(pipeline::ModelOp model, const Order& order,
                               absl::string_view policy) {
  mlir::OpBuilder builder(model->getContext());
  builder.setInsertionPointAfter(model);
  auto schedule = pipeline::ScheduleOp::create(
      builder, model.getLoc(), builder.getStringAttr(FreeScheduleName(model)),
      mlir::FlatSymbolRefAttr::get(model.getSymNameAttr()),
      policy.empty() ? nullptr
                     : builder.getStringAttr(
                           llvm::StringRef(policy.data(), policy.size())),
      /*transfers=*/nullptr, /*metrics=*/nullptr);
  builder.createBlock(&schedule.getBody());
  int d = 0;
  for (auto device : ClusterOf(model).getBody().getOps<pipeline::DeviceOp>()) {
    const std::vector<WorkItem>& program = order.programs[d++];
    if (program.empty()) continue;
    pipeline::ProgramOp::create(
        builder, model.getLoc(),
        mlir::FlatSymbolRefAttr::get(device.getSymNameAttr()),
        pipeline::ItemsAttr::get(builder.getContext(), program));
  }
  return schedule;
}

void TransfersToIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule,
                   const TransferPlan& plan, const TransferOptions& options) {
  mlir::MLIRContext* context = model.getContext();
  schedule.setTransfersAttr(pipeline::TransfersAttr::get(
      context, options.slots, options.channel_per_kind, options.group));
  llvm::StringMap<pipeline::ProgramOp> program_of;
  for (auto program : schedule.getBody().getOps<pipeline::ProgramOp>()) {
    program_of[program.getDevice()] = program;
  }
  const std::vector<std::vector<WorkItem>> items = ItemsOf(plan);
  int d = 0;
  for (auto device : ClusterOf(model).getBody().getOps<pipeline::DeviceOp>()) {
    pipeline::ProgramOp program = program_of.lookup(device.getSymName());
    if (program) {
      program.setItemsAttr(pipeline::ItemsAttr::get(context, items[d]));
    }
    ++d;
  }
}

pipeline::MetricsAttr MetricsToIr(mlir::MLIRContext* context,
                                  const Metrics& metrics, const Bound& bound) {
  const absl::string_view kind = BoundKindName(bound.kind);
  return pipeline::MetricsAttr::get(context, metrics.makespan_ns, bound.ns,
                                    llvm::StringRef(kind.data(), kind.size()),
                                    metrics.BubblePermille());
}

void EraseTransfers(pipeline::ModelOp model) {
  for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
    schedule.removeTransfersAttr();
    for (auto program : schedule.getBody().getOps<pipeline::ProgramOp>()) {
      llvm::SmallVector<WorkItem> compute;
      for (const WorkItem& item : program.getItems().getItems()) {
        if (IsCompute(item.kind)) compute.push_back(item);
      }
      program.setItemsAttr(
          pipeline::ItemsAttr::get(model.getContext(), compute));
    }
  }
}

void EraseSchedules(pipeline::ModelOp model) {
  for (pipeline::ScheduleOp schedule : SchedulesOf(model)) schedule.erase();
}

void ErasePlacement(pipeline::ModelOp model) {
  for (pipeline::StageOp stage : model.getStages()) stage.removeDeviceAttr();
}

void ErasePartition(pipeline::ModelOp model) {
  for (pipeline::StageOp stage : model.getStages()) {
    mlir::Block& body = stage.getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), stage.getInputs())) {
      argument.replaceAllUsesWith(operand);
    }
    mlir::Operation* yield = body.getTerminator();
    for (auto [result, value] :
         llvm::zip_equal(stage.getOutputs(), yield->getOperands())) {
      result.replaceAllUsesWith(value);
    }
    yield->erase();
    stage->getBlock()->getOperations().splice(mlir::Block::iterator(stage),
                                              body.getOperations());
    stage.erase();
  }
}

}  // namespace octopipe
