#include "compiler/translate/problem_from_ir.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/SymbolTable.h"

namespace octopipe {
namespace {

LayerRole RoleFromIr(pipeline::Role role) {
  switch (role) {
    case pipeline::Role::kBlock:
      return LayerRole::kBlock;
    case pipeline::Role::kEmbedding:
      return LayerRole::kEmbedding;
    case pipeline::Role::kHead:
      return LayerRole::kHead;
  }
  return LayerRole::kBlock;
}

LayerCost CostFromIr(pipeline::ProfileAttr profile) {
  LayerCost cost;
  cost.kind = profile.getKind().str();
  cost.role = RoleFromIr(profile.getRole());
  cost.times = {profile.getFNs(), profile.getBNs(), profile.getWNs()};
  if (mlir::DictionaryAttr on = profile.getOn()) {
    for (mlir::NamedAttribute entry : on) {
      auto times = mlir::cast<pipeline::TimesAttr>(entry.getValue());
      cost.times_on.push_back(
          {entry.getName().str(),
           {times.getFNs(), times.getBNs(), times.getWNs()}});
    }
  }
  cost.memory.param_bytes = profile.getParamBytes();
  cost.memory.grad_bytes = profile.getGradBytes();
  cost.memory.optimizer_bytes = profile.getOptimizerBytes();
  cost.memory.saved_b_bytes = profile.getSavedBBytes();
  cost.memory.saved_w_bytes = profile.getSavedWBytes();
  cost.memory.f_workspace_bytes = profile.getFWorkspaceBytes();
  cost.memory.b_workspace_bytes = profile.getBWorkspaceBytes();
  cost.splittable = !profile.getUnsplittable();
  return cost;
}

std::vector<Layer> LayersFromIr(pipeline::ModelOp model) {
  std::vector<Layer> layers;
  llvm::DenseMap<mlir::Operation*, int> index_of;
  for (pipeline::LayerOp op : model.getLayers()) {
    index_of[op] = static_cast<int>(layers.size());
    Layer layer;
    layer.name = op.getLayerName().str();
    layer.cost = CostFromIr(op.getProfile());
    for (pipeline::LayerOp producer : op.getProducers()) {
      layer.inputs.push_back(index_of.lookup(producer));
    }
    std::sort(layer.inputs.begin(), layer.inputs.end());
    layer.inputs.erase(std::unique(layer.inputs.begin(), layer.inputs.end()),
                       layer.inputs.end());
    layer.output_bytes = op.getOutputBytes();
    layer.output_grad_bytes = op.getOutputGradBytes();
    layer.needs_grad = !op.getNoGrad();
    layer.shares = op.getShares().value_or("").str();
    layers.push_back(std::move(layer));
  }
  return layers;
}

void ReadCluster(pipeline::ClusterOp cluster, Problem& problem) {
  llvm::StringMap<int> index_of;
  for (auto op : cluster.getBody().getOps<pipeline::DeviceOp>()) {
    index_of[op.getSymName()] = static_cast<int>(problem.devices.size());
    problem.devices.push_back({op.getSymName().str(), op.getKind().str(),
                               op.getMemoryBytes().value_or(0),
                               op.getSpeedPermille().value_or(1000)});
  }
  for (auto op : cluster.getBody().getOps<pipeline::LinkOp>()) {
    Link link;
    link.from = index_of.lookup(op.getSource());
    link.to = index_of.lookup(op.getTarget());
    link.latency_ns = op.getLatencyNs();
    link.bytes_per_us = op.getBytesPerUs();
    link.port = op.getPort().value_or("").str();
    problem.links.push_back(std::move(link));
  }
}

}  // namespace

pipeline::ClusterOp ClusterOf(pipeline::ModelOp model) {
  if (!model.getClusterAttr()) return {};
  return mlir::SymbolTable::lookupNearestSymbolFrom<pipeline::ClusterOp>(
      model->getParentOp(), model.getClusterAttr());
}

Problem ProblemFromIr(pipeline::ModelOp model) {
  Problem problem;
  problem.name = model.getSymName().str();
  problem.layers = LayersFromIr(model);
  if (pipeline::ClusterOp cluster = ClusterOf(model)) {
    ReadCluster(cluster, problem);
  }
  problem.micro_batches = model.getMicroBatches();
  problem.launch_overhead_ns = model.getLaunchOverheadNs().value_or(0);
  problem.tokens_per_micro_batch = model.getTokens().value_or(0);
  return problem;
}

}  // namespace octopipe
