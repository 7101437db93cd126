#include "compiler/translate/problem_to_ir.h"

#include <string>
#include <utility>

#include "compiler/translate/problem_from_ir.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace octopipe {
namespace {

pipeline::Role RoleToIr(LayerRole role) {
  switch (role) {
    case LayerRole::kBlock:
      return pipeline::Role::kBlock;
    case LayerRole::kEmbedding:
      return pipeline::Role::kEmbedding;
    case LayerRole::kHead:
      return pipeline::Role::kHead;
  }
  return pipeline::Role::kBlock;
}

pipeline::ProfileAttr CostToIr(mlir::Builder& builder, const LayerCost& cost) {
  mlir::NamedAttrList on;
  for (const auto& [kind, times] : cost.times_on) {
    on.set(kind, pipeline::TimesAttr::get(builder.getContext(), times.f_ns,
                                          times.b_ns, times.w_ns));
  }
  const LayerMemory& memory = cost.memory;
  return pipeline::ProfileAttr::get(
      builder.getContext(), cost.kind, cost.times.f_ns, cost.times.b_ns,
      cost.times.w_ns, memory.param_bytes, memory.grad_bytes,
      memory.optimizer_bytes, memory.saved_b_bytes, memory.saved_w_bytes,
      memory.f_workspace_bytes, memory.b_workspace_bytes, !cost.splittable,
      RoleToIr(cost.role), on.getDictionary(builder.getContext()));
}

// `wanted`, or with a number behind it where the name is taken.
std::string FreeSymbol(mlir::Operation* table, const std::string& wanted) {
  std::string name = wanted;
  for (int n = 0; mlir::SymbolTable::lookupSymbolIn(table, name); ++n) {
    name = wanted + "_" + std::to_string(n);
  }
  return name;
}

pipeline::ClusterOp CreateCluster(mlir::OpBuilder& builder,
                                  const Problem& problem, mlir::Location loc,
                                  mlir::Operation* table) {
  auto cluster = pipeline::ClusterOp::create(
      builder, loc, FreeSymbol(table, problem.name + "_cluster"));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&cluster.getBody());
  for (const Device& device : problem.devices) {
    pipeline::DeviceOp::create(
        builder, loc, builder.getStringAttr(device.name),
        builder.getStringAttr(device.kind),
        device.memory_bytes > 0 ? builder.getI64IntegerAttr(device.memory_bytes)
                                : nullptr,
        device.speed_permille != 1000
            ? builder.getI64IntegerAttr(device.speed_permille)
            : nullptr);
  }
  for (const Link& link : problem.links) {
    pipeline::LinkOp::create(
        builder, loc, problem.devices[link.from].name,
        problem.devices[link.to].name, link.latency_ns, link.bytes_per_us,
        link.port.empty() ? nullptr : builder.getStringAttr(link.port));
  }
  return cluster;
}

void CreateLayers(mlir::OpBuilder& builder, const Problem& problem) {
  const mlir::Location loc = builder.getUnknownLoc();
  std::vector<bool> is_read(problem.layers.size(), false);
  for (const Layer& layer : problem.layers) {
    for (int input : layer.inputs) is_read[input] = true;
  }
  std::vector<mlir::Value> output(problem.layers.size());
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    llvm::SmallVector<mlir::Value> inputs;
    for (int input : layer.inputs) inputs.push_back(output[input]);
    llvm::SmallVector<mlir::Type> types;
    if (is_read[l] || layer.output_bytes > 0) {
      types.push_back(mlir::RankedTensorType::get({layer.output_bytes},
                                                  builder.getI8Type()));
    }
    auto op = pipeline::LayerOp::create(
        builder, loc, types, builder.getStringAttr(layer.name), inputs,
        CostToIr(builder, layer.cost),
        layer.shares.empty() ? nullptr : builder.getStringAttr(layer.shares),
        layer.needs_grad ? nullptr : builder.getUnitAttr());
    if (!types.empty()) output[l] = op.getOutputs().front();
  }
}

mlir::IntegerAttr IfPositive(mlir::Builder& builder, int64_t value) {
  return value > 0 ? builder.getI64IntegerAttr(value) : nullptr;
}

}  // namespace

pipeline::ModelOp ProblemToIr(const Problem& problem, mlir::ModuleOp module) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  mlir::FlatSymbolRefAttr cluster;
  if (!problem.devices.empty()) {
    cluster = mlir::FlatSymbolRefAttr::get(
        CreateCluster(builder, problem, builder.getUnknownLoc(), module)
            .getSymNameAttr());
  }
  auto model = pipeline::ModelOp::create(
      builder, builder.getUnknownLoc(),
      builder.getStringAttr(FreeSymbol(module, problem.name)), cluster,
      builder.getI64IntegerAttr(problem.micro_batches),
      IfPositive(builder, problem.launch_overhead_ns),
      IfPositive(builder, problem.tokens_per_micro_batch));
  builder.createBlock(&model.getBody());
  CreateLayers(builder, problem);
  pipeline::YieldOp::create(builder, builder.getUnknownLoc(),
                            mlir::ValueRange{});
  return model;
}

void ClusterToIr(const Problem& problem, pipeline::ModelOp model) {
  mlir::Operation* table = model->getParentOp();
  pipeline::ClusterOp old = ClusterOf(model);
  mlir::OpBuilder builder(model);
  pipeline::ClusterOp cluster =
      CreateCluster(builder, problem, model.getLoc(), table);
  model.setClusterAttr(mlir::FlatSymbolRefAttr::get(cluster.getSymNameAttr()));
  if (old && mlir::SymbolTable::symbolKnownUseEmpty(old, table)) old.erase();
}

}  // namespace octopipe
