// When does each item of a fixed order run? The longest path through the DAG
// of items: the order on each device, the forward and backward data flow, and
// channels that are first in first out. Where channels share a port, a
// simulation by events (event_simulator.h) instead.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_EVALUATE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_EVALUATE_H_

#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// The exact timeline of `order`. An item starts as soon as its device has
// ended the item before it and its tensors have arrived. Sends queue in the
// order in which their producers run. O(items + edges · micro-batches); with
// shared ports, times the logarithm of the devices and channels.
// InvalidArgument if an item lacks, repeats or contradicts the data flow so
// that a device waits for ever, naming device and item; VerifyPlan says more.
// Items that nothing waits for may be missing, as in an order of forwards only.
absl::StatusOr<Timeline> EvaluateOrder(const StageTable& table,
                                       const Order& order);

// Bubbles, memory and critical path of that timeline.
Metrics MeasureTimeline(const StageTable& table, const Order& order,
                        const Timeline& timeline);

// Both.
absl::StatusOr<Metrics> EvaluatePlan(const StageTable& table,
                                     const Order& order);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_EVALUATE_H_
