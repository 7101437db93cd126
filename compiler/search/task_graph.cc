#include "compiler/search/task_graph.h"

#include <utility>

#include "compiler/simulator/memory_timeline.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

WorkKind KindOfTask(int task, bool split) {
  switch (static_cast<TaskKind>(task % 3)) {
    case TaskKind::kForward:
      return WorkKind::kForward;
    case TaskKind::kGradient:
      return split ? WorkKind::kInputGradient : WorkKind::kBackward;
    default:
      return WorkKind::kWeightGradient;
  }
}

}  // namespace

WorkKind TaskGraph::KindOf(const Slot& slot) const {
  return KindOfTask(slot.task, slot_of_task[slot.task / 3 * 3 + 2] >= 0);
}

void TaskGraph::Build(const StageTable& table,
                      const std::vector<uint8_t>& split, Direction direction) {
  micro_batches = table.micro_batches;
  devices = table.num_devices;
  channels = table.num_channels;
  AddSlots(table, split);
  CollectEdges(table, split);
  if (direction == Direction::kReversed) {
    for (Edge& edge : edges_) std::swap(edge.producer, edge.consumer);
    for (Slot& slot : slots) slot.begins = slot.partner >= 0 && !slot.begins;
  }
  AddOutputs();
}

void TaskGraph::AddSlots(const StageTable& table,
                         const std::vector<uint8_t>& split) {
  const int stages = table.num_stages();
  slots.assign(3 * stages, {});
  slot_of_task.assign(3 * stages, -1);
  durations.assign(3 * stages, 0);
  items = 0;
  // Count, then place.
  device_begin.assign(devices + 1, 0);
  for (const StageCost& stage : table.stages) {
    device_begin[stage.device + 1] += 3;
  }
  for (int d = 0; d < devices; ++d) device_begin[d + 1] += device_begin[d];
  std::vector<int> next(device_begin.begin(), device_begin.end() - 1);
  for (int s = 0; s < stages; ++s) {
    const StageCost& stage = table.stages[s];
    for (int task = 3 * s; task < 3 * s + 3; ++task) {
      const int at = next[stage.device]++;
      Slot& slot = slots[at];
      slot.task = task;
      slot.device = stage.device;
      slot.used = task % 3 != 2 || split[s];
      if (!slot.used) continue;
      const WorkKind kind = KindOfTask(task, split[s]);
      const MemoryEffect effect = MemoryEffectOf(stage, kind);
      slot.duration_ns = DurationOf(stage, kind);
      slot.rise_bytes = effect.rise;
      slot.kept_bytes = effect.kept;
      slot_of_task[task] = at;
      durations[task] = slot.duration_ns;
      items += micro_batches;
    }
    const int forward = slot_of_task[3 * s];
    const int last = slot_of_task[3 * s + (split[s] ? 2 : 1)];
    slots[forward].partner = last;
    slots[forward].begins = true;
    slots[last].partner = forward;
  }
}

void TaskGraph::CollectEdges(const StageTable& table,
                             const std::vector<uint8_t>& split) {
  edges_.clear();
  auto add = [&](int from, int to, int channel, Nanos transfer, Nanos latency) {
    edges_.push_back(
        {slot_of_task[from], slot_of_task[to], channel, transfer, latency});
  };
  for (int s = 0; s < table.num_stages(); ++s) {
    const int forward = TaskOf(TaskKind::kForward, s);
    const int gradient = TaskOf(TaskKind::kGradient, s);
    bool has_gradient = false;
    for (int e : table.out_edges[s]) {
      const StageEdge& edge = table.edges[e];
      add(forward, TaskOf(TaskKind::kForward, edge.to), edge.activation_channel,
          edge.activation_transfer_ns, edge.activation_latency_ns);
      has_gradient |= edge.needs_grad;
    }
    if (!has_gradient) add(forward, gradient, -1, 0, 0);
    for (int e : table.in_edges[s]) {
      const StageEdge& edge = table.edges[e];
      if (!edge.needs_grad) continue;
      add(gradient, TaskOf(TaskKind::kGradient, edge.from),
          edge.gradient_channel, edge.gradient_transfer_ns,
          edge.gradient_latency_ns);
    }
    if (split[s]) add(gradient, TaskOf(TaskKind::kWeight, s), -1, 0, 0);
  }
}

void TaskGraph::AddOutputs() {
  for (const Edge& edge : edges_) ++slots[edge.producer].output_end;
  int begin = 0;
  for (Slot& slot : slots) {
    const int count = slot.output_end;
    slot.output_begin = slot.output_end = begin;
    begin += count;
  }
  outputs.resize(begin);
  for (const Edge& edge : edges_) {
    outputs[slots[edge.producer].output_end++] = {
        edge.consumer, edge.channel, edge.transfer_ns, edge.latency_ns};
    ++slots[edge.consumer].inputs;
  }
}

}  // namespace octopipe
