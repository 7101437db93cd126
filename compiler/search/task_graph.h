// A stage table as the tuner's schedulers see it: a slot for each task, by
// device, with what its micro-batches hand on.

#ifndef OCTOPIPE_COMPILER_SEARCH_TASK_GRAPH_H_
#define OCTOPIPE_COMPILER_SEARCH_TASK_GRAPH_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"

namespace octopipe {

struct TaskGraph {
  enum class Direction {
    kForward,
    // In reversed time: a task waits for those that follow it.
    kReversed,
  };

  // What a slot hands to another, for the same micro-batch.
  struct Output {
    int consumer = 0;  // slot
    int channel = -1;
    Nanos transfer_ns = 0;
    Nanos latency_ns = 0;
  };
  // A task (work_dag.h) of a device.
  struct Slot {
    int task = 0;
    int device = 0;
    bool used = false;  // a stage with a whole backward has no W
    // Of the task that begins what a stage holds of a micro-batch the slot that
    // ends it (F and W, or the whole backward), and of that the beginner; -1 of
    // others.
    int partner = -1;
    bool begins = false;
    int inputs = 0;
    int output_begin = 0;
    int output_end = 0;
    Nanos duration_ns = 0;
    // See MemoryEffect.
    Bytes rise_bytes = 0;
    Bytes kept_bytes = 0;
  };

  int micro_batches = 0;
  int devices = 0;
  int channels = 0;
  // Those of one device follow each other, three a stage.
  std::vector<Slot> slots;
  std::vector<int> device_begin;  // slot; one more than devices
  std::vector<int> slot_of_task;  // -1: the stage has no such task
  std::vector<Output> outputs;
  std::vector<Nanos> durations;  // of each task; 0 where there is none
  size_t items = 0;

  // Reuses what it holds. `split[s]`: whether the backward of stage s is split.
  void Build(const StageTable& table, const std::vector<uint8_t>& split,
             Direction direction);

  WorkKind KindOf(const Slot& slot) const;

 private:
  struct Edge {
    int producer;  // slots
    int consumer;
    int channel;
    Nanos transfer_ns;
    Nanos latency_ns;
  };
  void AddSlots(const StageTable& table, const std::vector<uint8_t>& split);
  void CollectEdges(const StageTable& table, const std::vector<uint8_t>& split);
  void AddOutputs();

  std::vector<Edge> edges_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TASK_GRAPH_H_
