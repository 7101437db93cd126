#include "compiler/simulator/memory_timeline.h"

#include "compiler/simulator/work_dag.h"

namespace octopipe {

MemoryEffect MemoryEffectOf(const StageCost& stage, WorkKind kind) {
  switch (kind) {
    case WorkKind::kForward:
      return {stage.saved_bytes() + stage.f_workspace_bytes,
              stage.saved_bytes()};
    case WorkKind::kInputGradient:
      return {stage.b_workspace_bytes, -stage.saved_b_bytes};
    case WorkKind::kWeightGradient:
      return {stage.b_workspace_bytes, -stage.saved_w_bytes};
    default:
      return {stage.b_workspace_bytes, -stage.saved_bytes()};
  }
}

MemoryPeak PeakMemory(const StageTable& table, const Order& order, int device) {
  MemoryPeak peak;
  Bytes held = table.static_bytes[device];
  peak.bytes = held;
  const std::vector<WorkItem>& program = order.programs[device];
  for (size_t i = 0; i < program.size(); ++i) {
    const MemoryEffect effect =
        MemoryEffectOf(table.stages[program[i].stage], program[i].kind);
    if (peak.item < 0 || held + effect.rise > peak.bytes) {
      peak = {held + effect.rise, static_cast<int>(i)};
    }
    held += effect.kept;
  }
  return peak;
}

std::vector<MemoryPoint> MemoryCurve(const StageTable& table,
                                     const Order& order,
                                     const Timeline& timeline, int device) {
  Bytes held = table.static_bytes[device];
  std::vector<MemoryPoint> curve = {{0, held}};
  auto add = [&](Nanos time, Bytes bytes) {
    if (bytes != curve.back().bytes) curve.push_back({time, bytes});
  };
  const std::vector<WorkItem>& program = order.programs[device];
  for (size_t i = 0; i < program.size(); ++i) {
    const StageCost& stage = table.stages[program[i].stage];
    const MemoryEffect effect = MemoryEffectOf(stage, program[i].kind);
    const Nanos start = timeline.start_ns[device][i];
    add(start, held + effect.rise);
    held += effect.kept;
    add(start + DurationOf(stage, program[i].kind), held);
  }
  return curve;
}

}  // namespace octopipe
