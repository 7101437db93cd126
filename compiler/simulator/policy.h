// How the list scheduler chooses among the items that a device could start.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_POLICY_H_
#define OCTOPIPE_COMPILER_SIMULATOR_POLICY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace octopipe {

enum class TieBreak {
  kBackwardBeforeForward,
  kForwardBeforeBackward,
  kWeightGradientLast,
  kDeepestStage,  // the stage nearest to the loss
  kShallowestStage,
  kOldestMicroBatch,
  kLongestTail,  // the longest chain of work that waits for the item
};

// The kebab-case name and the reason given in explanations.
absl::string_view TieBreakName(TieBreak rule);
absl::string_view TieBreakReason(TieBreak rule);

enum class BackwardSplit { kAuto, kAlways, kNever };

struct Policy {
  // Applied in order; what they leave equal goes by kind (F, B, W), stage and
  // micro-batch, so the choice is total.
  std::vector<TieBreak> rules = {
      TieBreak::kWeightGradientLast, TieBreak::kBackwardBeforeForward,
      TieBreak::kLongestTail, TieBreak::kOldestMicroBatch};
  // kAuto and kAlways split wherever a stage is splittable and, for kAuto, its
  // input gradient has a consumer on another stage; kNever nowhere.
  BackwardSplit split = BackwardSplit::kAuto;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_POLICY_H_
