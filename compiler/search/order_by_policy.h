// The order of one policy, named schedule or list policy alike.

#ifndef OCTOPIPE_COMPILER_SEARCH_ORDER_BY_POLICY_H_
#define OCTOPIPE_COMPILER_SEARCH_ORDER_BY_POLICY_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

// The order that `policy`, a name of NamedSchedules() or ListPolicies(), gives
// for `table`. List policies follow `split`; a named schedule that does the
// opposite is refused with InvalidArgument. NotFound lists all names; otherwise
// the errors of GenerateNamedSchedule and ListSchedule.
absl::StatusOr<Order> OrderByPolicy(const StageTable& table,
                                    absl::string_view policy,
                                    BackwardSplit split);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_ORDER_BY_POLICY_H_
