// List scheduling by numbers, in buffers that are used again: what the tuner
// calls for every partition, placement and priority that it tries.

#ifndef OCTOPIPE_COMPILER_SEARCH_KEY_SCHEDULER_H_
#define OCTOPIPE_COMPILER_SEARCH_KEY_SCHEDULER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/task_graph.h"
#include "compiler/simulator/memory_banker.h"
#include "compiler/simulator/min_tree.h"

namespace octopipe {

// How a device chooses. Tasks are numbered as in work_dag.h.
struct SchedulingKeys {
  // Of micro-batch m and task t at t · micro_batches + m; the least goes first.
  absl::Span<const int64_t> keys;
  // A device leaves an item and stays idle for one that is known to arrive
  // within this time and has a lower key.
  Nanos patience_ns = 0;
  // Of each stage, how many micro-batches may be in flight: a forward waits
  // until that of as many micro-batches before has been followed by its W, or
  // by its whole backward. 0: no limit; may be empty.
  absl::Span<const int> windows;
  // Each device runs its items exactly by their keys and waits for the next one
  // however long it takes. Memory is checked item by item then, without the
  // banker; keys that contradict the data flow or overfill a device make no
  // schedule.
  bool exact = false;
};

// Idle time of all devices together, by what would shorten it. The parts and
// the busy time add up to devices · makespan.
struct IdleTime {
  Nanos imbalance_ns = 0;  // a device has less work than the busiest
  Nanos ends_ns = 0;       // before the first item and after the last
  Nanos inner_ns = 0;      // the rest
};

// Event-driven: whenever a device is free it starts the item with the least key
// among those whose tensors have arrived and which its memory admits (the
// banker's rule of memory_banker.h). A task takes micro-batches in turn.
//
// Windows that cannot overfill a device, all stages full at once, need no
// banker. A run costs O(items · (tasks on a device + log devices)) then and,
// once the buffers have grown, allocates nothing.
class KeyScheduler {
 public:
  static constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

  // From now on `table` is scheduled, with the backward of stage s split if
  // split[s]. `capacity` is each device's memory, static bytes included; 0: not
  // limited. False if one micro-batch alone does not fit.
  bool SetTable(const StageTable& table, const std::vector<uint8_t>& split,
                absl::Span<const Bytes> capacity);

  // The same in reversed time: an item waits for those that follow it,
  // micro-batch 0 is the last one, and windows hold back W. Without caps; of
  // transfers that queue the order may differ. There are no tails.
  void SetReversedTable(const StageTable& table,
                        const std::vector<uint8_t>& split);

  // The longest chain of work from the start of each task to the end of its
  // micro-batch, transfers included; 0 where the stage has no such task.
  absl::Span<const Nanos> Tails() const { return tails_; }

  // Of an item of each task; 0 where the stage has no such task.
  absl::Span<const Nanos> Durations() const { return graph_.durations; }
  const TaskGraph& graph() const { return graph_; }

  // The makespan if it is below `limit`. The rest describes the last run that
  // returned one.
  std::optional<Nanos> Run(const SchedulingKeys& keys, Nanos limit);

  // Start of each item, numbered as the keys.
  absl::Span<const Nanos> Starts() const { return starts_; }
  // Latest start of each item that keeps the makespan and each device's order;
  // equal to its start on a critical path. O(items).
  const std::vector<Nanos>& LatestStarts();
  IdleTime MeasureIdleTime() const;
  Order MakeOrder() const;
  // Keys with which an exact run gives the order again: the starts, but later
  // by as little as tells items of a device apart.
  void GetOrderKeys(std::vector<int64_t>* keys) const;

 private:
  struct DeviceState {
    Nanos busy_until_ns = 0;
    Nanos work_left_ns = 0;
    Nanos work_ns = 0;
    Nanos first_start_ns = 0;
    Bytes held_bytes = 0;  // of activations; of exact runs only
  };
  struct Step {
    int slot;
    int micro_batch;
  };

  void FindTails();
  void SetGraph(const StageTable& table, const std::vector<uint8_t>& split,
                TaskGraph::Direction direction);
  void Reset(const SchedulingKeys& keys);
  void SetWindows(absl::Span<const int> windows);
  // The slot to start or to wait for, or -1; in the latter case `soonest` is
  // when to look again.
  int Choose(int device, Nanos now, Nanos patience, Nanos* soonest);
  void Start(int slot, Nanos now);
  int ChooseExact(int device, Nanos now, Nanos* soonest);
  void Deliver(const TaskGraph::Output& output, int micro_batch, Nanos arrival);
  void ShowHead(int slot);

  TaskGraph graph_;
  std::vector<int> index_;  // of each slot in the banker of its device
  std::vector<Nanos> tails_;
  // The table's, of limited devices; fresh copies run.
  std::vector<std::optional<MemoryBanker>> bankers_;
  std::vector<std::optional<MemoryBanker>> running_bankers_;
  bool limited_ = false;
  std::vector<Bytes> room_;  // of each limited device, for activations
  // Of one micro-batch of a stage, and the most beyond that while one runs.
  std::vector<Bytes> stage_bytes_;
  std::vector<Bytes> stage_workspace_;

  // Of a run.
  absl::Span<const int64_t> keys_;
  bool exact_ = false;
  std::vector<DeviceState> devices_;
  MinTree next_decisions_{0};  // when each device chooses again
  std::vector<Nanos> channel_free_;
  std::vector<int> next_;           // micro-batch, of each slot
  std::vector<int64_t> head_keys_;  // of the next micro-batch of each slot
  std::vector<Nanos> head_ready_;   // when its tensors are there, or kNever
  std::vector<Nanos> ready_;        // of each slot and micro-batch
  std::vector<int> missing_;        // inputs, of each slot and micro-batch
  std::vector<int> refused_;
  std::vector<int> window_;      // of each slot that is a forward; else 0
  std::vector<uint8_t> banked_;  // devices on which a banker admits items
  std::vector<Bytes> in_window_;
  std::vector<Step> steps_;  // in the order of decision
  std::vector<Nanos> starts_;
  std::vector<Nanos> latest_;
  std::vector<Nanos> device_latest_;
  Nanos makespan_ns_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_KEY_SCHEDULER_H_
