// Input constraints: one function a constraint, all of them in CheckProblem.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_CHECK_PROBLEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_CHECK_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "compiler/base/finding.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Work items of one plan: more are refused, naming the memory they would need.
inline constexpr int64_t kMaxWorkItems = int64_t{1} << 26;

// Every way in which `problem` is invalid: no layers or devices, micro-batches
// below 1 or too many for kMaxWorkItems with a stage on every device (as far as
// layers go), duplicate layer or device names, device kinds not sorted,
// negative costs, sums over kMaxTotal, inputs that are not below their layer,
// links that name no device or a pair twice, speeds below 1, shared-parameter
// groups whose members disagree on parameter bytes. Empty if it is valid. Of
// each rule, 20 are put in words and the rest counted; so it is with the
// functions below.
std::vector<Finding> CheckProblem(const Problem& problem);

// Every way in which `partition` is no contiguous cover of the layers, or has
// more stages than kMaxWorkItems allows.
std::vector<Finding> CheckPartition(const Problem& problem,
                                    const Partition& partition);

// Every stage without a device or on one that does not exist.
std::vector<Finding> CheckPlacement(const Problem& problem,
                                    const Partition& partition,
                                    const Placement& placement);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_CHECK_PROBLEM_H_
