// Solution constraints, by code that shares nothing with the simulator, the
// list scheduler or the named schedules.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_VERIFY_PLAN_H_
#define OCTOPIPE_COMPILER_SCHEDULE_VERIFY_PLAN_H_

#include <vector>

#include "compiler/base/finding.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Every way in which `plan` does not solve `problem`, itself valid:
//  - the partition or the placement is invalid (then nothing else is checked);
//  - an item is missing, repeated, on the wrong device, not a compute item, or
//    names no stage or micro-batch; backward is both whole and split for one
//    (stage, micro-batch); it is split where a layer forbids it;
//  - a device's order contradicts the data flow on that device, or the orders
//    together form a cycle (one finding, with the shortest cycle in words);
//  - a device's memory is exceeded: at the first item that does, with the bytes
//    over, the peak, and the stage that holds most.
// Of each rule, 20 are put in words and the rest counted. Empty if the plan is
// valid. O(items + edges · micro-batches).
std::vector<Finding> VerifyPlan(const Problem& problem, const Plan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_VERIFY_PLAN_H_
