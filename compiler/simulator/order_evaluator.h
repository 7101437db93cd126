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
    return {starts_.data() + begin_[device],
            static_cast<size_t>(cursor_[device] - begin_[device])};
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

  absl::Status CheckItem(int device, size_t position, const WorkItem& item);
  void Clear();
  void Restart();
  // Everything that started at or after `time` becomes undone.
  void Rewind(Nanos time);
  void RewindTo(int device, int64_t position, Nanos time);
  void RewindBefore(int device, int position);
  bool Run(Nanos limit);
  void RunDevice(int device);
  Nanos End() const;

  const int num_devices_;
  const int64_t micro_batches_;
  std::vector<int> stage_device_;
  std::vector<Op> ops_;
  std::vector<int64_t> inputs_;  // slots of the arc
  std::vector<Output> outputs_;

  // All programs, one after the other: device d's from begin_[d] to
  // begin_[d + 1].
  std::vector<Item> items_;
  std::vector<Nanos> starts_;
  std::vector<int64_t> begin_;
  std::vector<bool> present_;  // scratch of SetOrder, by task and micro-batch

  // When the data of an arc and micro-batch arrives; kUnset while its producer
  // is undone.
  std::vector<Nanos> arrivals_;
  std::vector<Nanos> channel_free_;
  std::vector<int64_t> cursor_;
  std::vector<Nanos> clock_;          // end of the item before the cursor
  std::vector<Nanos> work_;           // of the whole program
  std::vector<Nanos> work_done_;      // before the cursor
  std::vector<int64_t> waiting_for_;  // slot
  std::vector<int> runnable_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_ORDER_EVALUATOR_H_
