#include "compiler/simulator/bubbles.h"

#include <algorithm>

#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// When each task of each micro-batch ends, at task · micro_batches +
// micro_batch.
std::vector<Nanos> TaskEnds(const StageTable& table, const Order& order,
                            const Timeline& timeline) {
  const int64_t micro_batches = table.micro_batches;
  std::vector<Nanos> ends(3 * table.num_stages() * micro_batches, 0);
  for (size_t d = 0; d < order.programs.size(); ++d) {
    for (size_t i = 0; i < order.programs[d].size(); ++i) {
      const WorkItem& item = order.programs[d][i];
      ends[TaskOf(item.kind, item.stage) * micro_batches + item.micro_batch] =
          timeline.start_ns[d][i] +
          DurationOf(table.stages[item.stage], item.kind);
    }
  }
  return ends;
}

}  // namespace

void MeasureBubbles(const StageTable& table, const Order& order,
                    const Timeline& timeline,
                    std::vector<DeviceMetrics>& devices) {
  const WorkDag dag = BuildWorkDag(table);
  const std::vector<Nanos> ends = TaskEnds(table, order, timeline);
  for (int d = 0; d < table.num_devices; ++d) {
    DeviceMetrics& device = devices[d];
    const std::vector<WorkItem>& program = order.programs[d];
    if (program.empty()) {
      device.warmup_ns = timeline.makespan_ns;
      continue;
    }
    device.warmup_ns = timeline.start_ns[d].front();
    Nanos clock = device.warmup_ns;
    for (size_t i = 0; i < program.size(); ++i) {
      const WorkItem& item = program[i];
      const Nanos gap = timeline.start_ns[d][i] - clock;
      if (gap > 0) {
        Nanos data = clock;
        for (int a : dag.inputs[TaskOf(item.kind, item.stage)]) {
          const int64_t producer =
              dag.arcs[a].producer * static_cast<int64_t>(table.micro_batches) +
              item.micro_batch;
          data = std::max(data, ends[producer]);
        }
        device.inner_ns += gap;
        device.inner_data_ns += data - clock;
        device.inner_transfer_ns += gap - (data - clock);
      }
      const Nanos duration = DurationOf(table.stages[item.stage], item.kind);
      device.busy_ns += duration;
      clock = timeline.start_ns[d][i] + duration;
    }
    device.cooldown_ns = timeline.makespan_ns - clock;
  }
}

}  // namespace octopipe
