#include "compiler/search/order_by_policy.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/list_policies.h"
#include "compiler/simulator/list_scheduler.h"

namespace octopipe {

absl::StatusOr<Order> OrderByPolicy(const StageTable& table,
                                    absl::string_view policy,
                                    BackwardSplit split) {
  std::string known;
  for (const NamedSchedule& schedule : NamedSchedules()) {
    absl::StrAppend(&known, schedule.name, ", ");
    if (schedule.name != policy) continue;
    if (split == BackwardSplit::kNever && schedule.splits_backward) {
      return absl::InvalidArgumentError(absl::StrCat(
          "policy ", policy,
          " splits the backward, which split-backward=never forbids"));
    }
    if (split == BackwardSplit::kAlways && !schedule.splits_backward) {
      return absl::InvalidArgumentError(absl::StrCat(
          "policy ", policy,
          " keeps the backward whole, which split-backward=always forbids"));
    }
    return GenerateNamedSchedule(policy, table);
  }
  for (const ListPolicy& list : ListPolicies()) {
    if (list.name != policy) {
      absl::StrAppend(&known, list.name, ", ");
      continue;
    }
    Policy chosen = list.policy;
    chosen.split = split;
    return ListSchedule(table, chosen);
  }
  known.resize(known.size() - 2);
  return absl::NotFoundError(
      absl::StrCat("unknown policy '", policy, "'; expected one of ", known));
}

}  // namespace octopipe
