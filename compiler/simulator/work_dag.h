// The data flow of one micro-batch: which work waits for which, and over which
// channel. Every micro-batch has the same.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_WORK_DAG_H_
#define OCTOPIPE_COMPILER_SIMULATOR_WORK_DAG_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"

namespace octopipe {

// A stage has three tasks per micro-batch: F, the gradient of its input (B or
// BW), and W. Tasks are numbered from 0 to 3 · stages − 1.
enum class TaskKind { kForward, kGradient, kWeight };

constexpr int TaskOf(TaskKind kind, int stage) {
  return 3 * stage + static_cast<int>(kind);
}
// `kind` is a compute kind.
constexpr int TaskOf(WorkKind kind, int stage) {
  return kind == WorkKind::kForward ? TaskOf(TaskKind::kForward, stage)
         : kind == WorkKind::kWeightGradient
             ? TaskOf(TaskKind::kWeight, stage)
             : TaskOf(TaskKind::kGradient, stage);
}

// Compute items of one kind and stage are alike but for the micro-batch. They
// are numbered from 0 to 4 · stages − 1.
constexpr int OpOf(WorkKind kind, int stage) {
  return 4 * stage + static_cast<int>(kind);
}

// `consumer` waits for `producer` of the same micro-batch, both tasks. Without
// a channel the data is there when the producer ends.
struct WorkArc {
  int producer = 0;
  int consumer = 0;
  int consumer_device = 0;
  int channel = -1;
  Nanos transfer_ns = 0;
  Nanos latency_ns = 0;
  Bytes bytes = 0;  // on the channel
};

struct WorkDag {
  std::vector<WorkArc> arcs;
  std::vector<std::vector<int>> inputs;  // of each task, into `arcs`
  // Of each op, into `arcs`, in the order in which it sends. A whole backward
  // lacks the arc to W that an input gradient has.
  std::vector<std::vector<int>> outputs;
};

// That the gradient of a stage waits for its own F is an arc only where no
// gradient comes from a later stage: where one does, its producer has waited
// for that F already. O(stages + edges).
WorkDag BuildWorkDag(const StageTable& table);

// `kind` is a compute kind.
inline Nanos DurationOf(const StageCost& stage, WorkKind kind) {
  switch (kind) {
    case WorkKind::kForward:
      return stage.f_ns;
    case WorkKind::kInputGradient:
      return stage.b_ns;
    case WorkKind::kWeightGradient:
      return stage.w_ns;
    default:
      return stage.bw_ns;
  }
}

// Where each task of each micro-batch stands in its device's program, at
// task · micro_batches + micro_batch; -1 where it does not. Items that `table`
// does not know are passed over.
std::vector<int32_t> PositionsOf(const StageTable& table, const Order& order);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_WORK_DAG_H_
