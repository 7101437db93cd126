// The makespan of an order, and of the next one that differs little from it:
// what a search calls millions of times.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_ORDER_EVALUATOR_H_
#define OCTOPIPE_COMPILER_SIMULATOR_ORDER_EVALUATOR_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

// A simulation of one order that can be rewound.
//
// Each device has a cursor; what lies before it has run and its times are
// exact. An edit rewinds every device to the time before which nothing can have
// changed, and the next evaluation runs on from there. So an edit late in the
// programs costs little, and an undo is one more edit.
//
// Evaluation is linear in the items that it runs and allocates nothing. Memory:
// 16 bytes an item, and 8 per arc of the work DAG and micro-batch.
class OrderEvaluator {
 public:
  // Of an order in which a device waits for ever.
  static constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

  explicit OrderEvaluator(const StageTable& table);

  // Replaces all programs. InvalidArgument, naming device, position and item,
  // if the programs are not one a device, or if an item is not a compute item
  // of a stage of that device, or repeats one; then no order is set.
  absl::Status SetOrder(const Order& order);

  // Edits of the order that was set; positions must lie within the program.
  // The item at `from` is taken out and put back so that it stands at `to`.
  void MoveItem(int device, int from, int to);
  void SwapItems(int device, int a, int b);

  // Changes what a stage's items cost; memory and device are not looked at.
  void SetStageCosts(int stage, const StageCost& cost);

  // The makespan, or kNever.
  Nanos Makespan();

  // The makespan if it is below `limit`; nullopt, mostly after a part of the
  // work, if it is not or if a device waits for ever.
  std::optional<Nanos> MakespanIfBelow(Nanos limit);

  // After a call of Makespan: when the items ran, and how many of them did (all
  // of them unless it returned kNever).
  absl::Span<const Nanos> Starts(int device) const {
    const DeviceState& state = devices_[device];
    return {starts_.data() + state.begin,
            static_cast<size_t>(state.cursor - state.begin)};
  }

 private:
  struct Item {
    uint32_t op;
    uint32_t micro_batch;
  };
  // Inputs and outputs are ranges of inputs_ and outputs_.
  struct Op {
    Nanos duration_ns = 0;
    uint32_t input_begin = 0;
    uint32_t input_end = 0;
    uint32_t output_begin = 0;
    uint32_t output_end = 0;
  };
  struct Output {
    int64_t slots = 0;  // of the arc: first of micro_batches slots
    Nanos transfer_ns = 0;
    Nanos latency_ns = 0;
    int32_t channel = -1;
    int32_t device = 0;
  };

  struct DeviceState {
    // The program is items_[begin] to items_[end - 1]; items_[cursor] is next.
    int64_t begin = 0;
    int64_t end = 0;
    int64_t cursor = 0;
    Nanos clock_ns = 0;        // end of the item before the cursor
    Nanos work_left_ns = 0;    // from the cursor on
    int64_t waiting_for = -1;  // slot
  };

  absl::Status CheckItem(int device, size_t position, const WorkItem& item);
  // Undoes everything.
  void Restart();
  // Undoes everything that depends on items of `device` from `position` on.
  void RewindBefore(int device, int position);
  void RewindTo(DeviceState& device, int64_t position, Nanos time);
  bool Run(Nanos limit);
  void RunDevice(DeviceState& device);
  Nanos End() const;
  Nanos EndOf(int64_t item) const {
    return starts_[item] + ops_[items_[item].op].duration_ns;
  }

  const int64_t micro_batches_;
  std::vector<int> stage_device_;
  std::vector<Op> ops_;
  std::vector<int64_t> inputs_;  // slots of the arc
  std::vector<Output> outputs_;

  // All programs, one after the other.
  std::vector<Item> items_;
  std::vector<Nanos> starts_;
  std::vector<DeviceState> devices_;
  std::vector<bool> present_;  // scratch of SetOrder, by task and micro-batch

  // When the data of an arc and micro-batch arrives; kUnset while its producer
  // is undone.
  std::vector<Nanos> arrivals_;
  std::vector<Nanos> channel_free_;
  std::vector<int> runnable_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_ORDER_EVALUATOR_H_
