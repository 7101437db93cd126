// Event-driven list scheduling with memory admission that cannot dead-end.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_
#define OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

// Orders the work on each device: whenever a device is free it starts the best
// item, under `policy`, among those whose tensors have arrived and which its
// memory admits. Minimises nothing: the result is feasible and deterministic.
//
// A forward is admitted only if the micro-batches in flight could still finish
// one after another, oldest first, within every device's memory (the banker's
// rule). So a schedule that is started is finished. ResourceExhausted, naming
// the device, its need, its memory and the bytes missing, if and only if one
// micro-batch alone does not fit (for a graph with one last stage: no order
// fits then). O(N log S) for N items without a cap.
absl::StatusOr<Order> ListSchedule(const StageTable& table,
                                   const Policy& policy);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_
