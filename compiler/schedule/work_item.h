// Work items and their one grammar: `F2.5`, `BW0.3`, `RF2.5.1`.
//
//   item := kind stage "." micro-batch [ "." slot ]
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
// Used by the IR, CSV, command line, logs, errors and golden files alike. Free
// of MLIR and of the rest of the core.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_WORK_ITEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_WORK_ITEM_H_

#include <cstdint>
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

struct WorkItem {
  WorkKind kind = WorkKind::kForward;
  // Staging slot of a receive, or -1.
  int16_t slot = -1;
  int32_t stage = 0;
  int32_t micro_batch = 0;

  friend bool operator==(const WorkItem& a, const WorkItem& b) {
    return a.kind == b.kind && a.slot == b.slot && a.stage == b.stage &&
           a.micro_batch == b.micro_batch;
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
