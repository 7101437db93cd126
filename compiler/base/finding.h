// What is wrong with a problem or a plan, and where.
//
// The checkers of the core report every offence they see. A finding names its
// subject by kind and index, so that a caller that knows where the subject was
// written (an MLIR location, a line of a file) can point there.

#ifndef OCTOPIPE_COMPILER_BASE_FINDING_H_
#define OCTOPIPE_COMPILER_BASE_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace octopipe {

enum class SubjectKind { kProblem, kLayer, kStage, kDevice, kLink, kItem };

// `index` is the layer, stage, device or link. For kItem it is the device, and
// `position` the item's place in that device's program (or -1 for an item that
// is missing there).
struct Subject {
  SubjectKind kind = SubjectKind::kProblem;
  int64_t index = -1;
  int64_t position = -1;

  friend bool operator==(const Subject& a, const Subject& b) {
    return a.kind == b.kind && a.index == b.index && a.position == b.position;
  }
};

// The rule that a problem or a plan breaks.
enum class Rule {
  // Problem.
  kNoLayers,
  kNoDevices,
  kMicroBatchCount,
  kNegativeCost,
  kOverflow,
  kCycle,
  kDuplicateName,
  kBadLink,
  kSharedParameters,
  kBadSpeed,
  // Partition.
  kStageNotContiguous,
  kStageEmpty,
  kLayersUncovered,
  // Placement.
  kStageWithoutDevice,
  kUnknownDevice,
  // Order.
  kItemMissing,
  kItemRepeated,
  kItemInvalid,
  kItemOnWrongDevice,
  kBackwardMixed,
  kBackwardNotSplittable,
  kDataFlow,
  kDeadlock,
  // Memory.
  kMemoryExceeded,
  // Transfers.
  kOrderChanged,
  kTransferMissing,
  kTransferRepeated,
  kTransferInvalid,
  kTransferFlow,
  kTransferBytes,
  kChannelOrder,
  kSlotInUse,
  kSlotsTooFew,
};

// The kebab-case name of a rule, such as "item-missing".
const char* RuleName(Rule rule);

struct Finding {
  Rule rule;
  Subject subject;
  // Lower case, no final stop; names the object, the value found, the value
  // allowed and, where there is one, the remedy.
  std::string message;
};

// OK if `findings` is empty, else InvalidArgument (ResourceExhausted where the
// first finding is kMemoryExceeded) with all messages joined by "; " and the
// first finding's rule and subject as payloads that SubjectOf and RuleOf read.
absl::Status ToStatus(const std::vector<Finding>& findings);

// An error about one subject.
absl::Status ErrorAt(absl::StatusCode code, Rule rule, Subject subject,
                     std::string message);

// What ToStatus and ErrorAt attached; nullopt on any other status.
std::optional<Subject> SubjectOf(const absl::Status& status);
std::optional<Rule> RuleOf(const absl::Status& status);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BASE_FINDING_H_
