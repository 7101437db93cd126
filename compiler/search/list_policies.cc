#include "compiler/search/list_policies.h"

#include <vector>

namespace octopipe {

absl::Span<const ListPolicy> ListPolicies() {
  static const std::vector<ListPolicy>& policies = *new std::vector<ListPolicy>{
      {"list",
       "starts backwards before forwards, and of each the item that the "
       "longest chain of work waits for; weight gradients fill what is left",
       Policy{}},
      {"list-longest-tail",
       "starts the item that the longest chain of work waits for, forward or "
       "backward",
       {{TieBreak::kLongestTail, TieBreak::kOldestMicroBatch}}},
      {"list-deepest-stage",
       "starts backwards before forwards, and of each the stage nearest to the "
       "loss; weight gradients fill what is left",
       {{TieBreak::kWeightGradientLast, TieBreak::kBackwardBeforeForward,
         TieBreak::kDeepestStage, TieBreak::kOldestMicroBatch}}},
      {"list-oldest",
       "ends micro-batches in turn; weight gradients fill what is left",
       {{TieBreak::kWeightGradientLast, TieBreak::kOldestMicroBatch,
         TieBreak::kBackwardBeforeForward, TieBreak::kDeepestStage}}},
      {"list-forward-first",
       "starts forwards before backwards, which takes the most memory; weight "
       "gradients fill what is left",
       {{TieBreak::kWeightGradientLast, TieBreak::kForwardBeforeBackward,
         TieBreak::kLongestTail, TieBreak::kOldestMicroBatch}}},
      {"list-eager-weights",
       "starts weight gradients as they come, which frees memory early, then "
       "backwards before forwards",
       {{TieBreak::kBackwardBeforeForward, TieBreak::kDeepestStage,
         TieBreak::kOldestMicroBatch}}},
  };
  return policies;
}

}  // namespace octopipe
