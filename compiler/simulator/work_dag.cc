#include "compiler/simulator/work_dag.h"

namespace octopipe {

WorkDag BuildWorkDag(const StageTable& table) {
  const int stages = table.num_stages();
  WorkDag dag;
  dag.inputs.resize(3 * stages);
  dag.outputs.resize(4 * stages);
  auto add = [&](const WorkArc& arc) {
    const int id = static_cast<int>(dag.arcs.size());
    dag.arcs.push_back(arc);
    dag.inputs[arc.consumer].push_back(id);
    return id;
  };
  auto device = [&](int stage) { return table.stages[stage].device; };

  for (int s = 0; s < stages; ++s) {
    bool has_gradient = false;
    for (int e : table.out_edges[s]) {
      const StageEdge& edge = table.edges[e];
      const int arc = add({TaskOf(TaskKind::kForward, s),
                           TaskOf(TaskKind::kForward, edge.to), device(edge.to),
                           edge.activation_channel, edge.activation_transfer_ns,
                           edge.activation_latency_ns, edge.activation_bytes});
      dag.outputs[OpOf(WorkKind::kForward, s)].push_back(arc);
      has_gradient |= edge.needs_grad;
    }
    if (!has_gradient) {
      const int turn = add({TaskOf(TaskKind::kForward, s),
                            TaskOf(TaskKind::kGradient, s), device(s)});
      dag.outputs[OpOf(WorkKind::kForward, s)].push_back(turn);
    }
    for (int e : table.in_edges[s]) {
      const StageEdge& edge = table.edges[e];
      if (!edge.needs_grad) continue;
      const int arc =
          add({TaskOf(TaskKind::kGradient, s),
               TaskOf(TaskKind::kGradient, edge.from), device(edge.from),
               edge.gradient_channel, edge.gradient_transfer_ns,
               edge.gradient_latency_ns, edge.gradient_bytes});
      dag.outputs[OpOf(WorkKind::kInputGradient, s)].push_back(arc);
      dag.outputs[OpOf(WorkKind::kBackward, s)].push_back(arc);
    }
    const int weight = add({TaskOf(TaskKind::kGradient, s),
                            TaskOf(TaskKind::kWeight, s), device(s)});
    dag.outputs[OpOf(WorkKind::kInputGradient, s)].push_back(weight);
  }
  return dag;
}

std::vector<int32_t> PositionsOf(const StageTable& table, const Order& order) {
  const int64_t micro_batches = table.micro_batches;
  std::vector<int32_t> positions(3 * table.num_stages() * micro_batches, -1);
  for (const std::vector<WorkItem>& program : order.programs) {
    for (size_t i = 0; i < program.size(); ++i) {
      const WorkItem& item = program[i];
      if (!IsCompute(item.kind) || item.stage < 0 ||
          item.stage >= table.num_stages() || item.micro_batch < 0 ||
          item.micro_batch >= micro_batches) {
        continue;
      }
      positions[TaskOf(item.kind, item.stage) * micro_batches +
                item.micro_batch] = static_cast<int32_t>(i);
    }
  }
  return positions;
}

}  // namespace octopipe
