// A point of the tuner's search: a partition, a placement, and what decides
// the order.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_STATE_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_STATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"

namespace octopipe {

// A priority as a sum of terms, all in nanoseconds; the least goes first. The
// rules of a Policy are the special case in which each term outweighs those
// after it.
struct PriorityWeights {
  // By TaskKind.
  std::array<int64_t, 3> kind_ns = {};
  // What each stage nearer to the loss adds.
  int64_t stage_ns = 0;
  // What each micro-batch adds.
  int64_t micro_batch_ns = 0;
  // What the longest chain of work behind a task takes off, in 1/1000 of it.
  int64_t tail_permille = 0;
  // Added to each task of each stage: task t of work_dag.h at t.
  std::vector<int64_t> task_ns;
  // See SchedulingKeys.
  Nanos patience_ns = 0;
};

struct TunerState {
  Partition partition;
  Placement placement;
  std::vector<uint8_t> split;  // whether the backward of each stage is split
  PriorityWeights weights;
  // If not empty, keys of single items, which are used instead of the weights:
  // of task t and micro-batch m at t · micro_batches + m.
  std::vector<int64_t> keys;
  // The keys are an order to keep; see SchedulingKeys.
  bool exact = false;
  // Micro-batches in flight of each stage; see SchedulingKeys. Empty: no
  // limits.
  std::vector<int> windows;
  // The share of each limited device's memory that list scheduling admits: less
  // than all of it can pace the forwards better.
  int64_t memory_permille = 1000;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_STATE_H_
