// Work items and their one grammar: `F2.5`, `BW0.3`, `RF2.5.1`, `SF1to3.5`.
//
//   item := kind stage [ peer ] "." micro-batch [ "." slot ]
//   peer := "to" stage     of a send: the stage that receives
//         | "from" stage   of a receive: the stage that sends
//
// | kind | work                                   | slot |
// | ---- | -------------------------------------- | ---- |
// | F    | forward                                | no   |
// | B    | backward of the input                  | no   |
// | W    | backward of the weights                | no   |
// | BW   | whole backward, input and weights fused | no  |
// | SF   | send activation; stage is the producer | no   |
// | RF   | receive activation; stage is the consumer | optional |
// | SB   | send gradient; stage is the producer   | no   |
// | RB   | receive gradient; stage is the consumer | optional |
//
// The peer is left out where it is the neighbour: the next stage for SF and RB,
// the stage before for RF and SB. An item is one token, and has one text.
//
// Used by the IR, CSV, command line, logs, errors and golden files alike. Free
// of MLIR and of the rest of the core.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_WORK_ITEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_WORK_ITEM_H_

#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace octopipe {

enum class WorkKind : uint8_t {
  kForward,
  kInputGradient,
  kWeightGradient,
  kBackward,
  kSendActivation,
  kReceiveActivation,
  kSendGradient,
  kReceiveGradient,
};
inline constexpr int kNumWorkKinds = 8;

// Runs on the compute engine, rather than on a channel.
constexpr bool IsCompute(WorkKind kind) { return kind <= WorkKind::kBackward; }
constexpr bool IsSend(WorkKind kind) {
  return kind == WorkKind::kSendActivation || kind == WorkKind::kSendGradient;
}
constexpr bool IsReceive(WorkKind kind) {
  return kind == WorkKind::kReceiveActivation ||
         kind == WorkKind::kReceiveGradient;
}

struct WorkItem {
  WorkKind kind = WorkKind::kForward;
  // Staging slot of a receive, or -1.
  int16_t slot = -1;
  int32_t stage = 0;
  int32_t micro_batch = 0;
  // The stage at the other end of a transfer, or -1: the neighbour. Never the
  // neighbour's own number, so that equal items compare equal.
  int32_t peer = -1;

  friend bool operator==(const WorkItem& a, const WorkItem& b) {
    return a.kind == b.kind && a.slot == b.slot && a.stage == b.stage &&
           a.micro_batch == b.micro_batch && a.peer == b.peer;
  }
  friend bool operator!=(const WorkItem& a, const WorkItem& b) {
    return !(a == b);
  }
};

inline WorkItem Forward(int32_t stage, int32_t micro_batch) {
  return {WorkKind::kForward, -1, stage, micro_batch};
}
inline WorkItem InputGradient(int32_t stage, int32_t micro_batch) {
  return {WorkKind::kInputGradient, -1, stage, micro_batch};
}
inline WorkItem WeightGradient(int32_t stage, int32_t micro_batch) {
  return {WorkKind::kWeightGradient, -1, stage, micro_batch};
}
inline WorkItem Backward(int32_t stage, int32_t micro_batch) {
  return {WorkKind::kBackward, -1, stage, micro_batch};
}

// The stage at the other end where none is named; -1 for compute kinds and
// where there is no such stage.
constexpr int32_t NeighbourOf(WorkKind kind, int32_t stage) {
  switch (kind) {
    case WorkKind::kSendActivation:
    case WorkKind::kReceiveGradient:
      return stage < std::numeric_limits<int32_t>::max() ? stage + 1 : -1;
    case WorkKind::kReceiveActivation:
    case WorkKind::kSendGradient:
      return stage - 1;
    default:
      return -1;
  }
}

// `kind` is a send or a receive.
constexpr WorkItem Transfer(WorkKind kind, int32_t stage, int32_t peer,
                            int32_t micro_batch, int16_t slot = -1) {
  return {kind, slot, stage, micro_batch,
          peer == NeighbourOf(kind, stage) ? -1 : peer};
}

// The stage at the other end of a send or a receive.
constexpr int32_t PeerOf(const WorkItem& item) {
  return item.peer >= 0 ? item.peer : NeighbourOf(item.kind, item.stage);
}

// The letters of a kind: "F", "B", "W", "BW", "SF", "RF", "SB", "RB".
absl::string_view KindLetters(WorkKind kind);

// Appends the item's text to `out`; allocates only when `out` grows.
void AppendItem(const WorkItem& item, std::string* out);
std::string ToString(const WorkItem& item);

// Parses one item. Fails with InvalidArgument: "expected
// <kind><stage>.<micro-batch>[.<slot>], got 'F2'". Numbers must fit the fields
// and have no sign or leading zero.
absl::StatusOr<WorkItem> ParseWorkItem(absl::string_view text);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_WORK_ITEM_H_
