// Event-driven list scheduling with memory admission that cannot dead-end.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_
#define OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

// Orders the work on each device: whenever a device is free it starts the best
// item, under `policy`, among those whose tensors have arrived and which its
// memory admits. Minimises nothing: the result is feasible and deterministic.
//
// A forward is admitted only if the micro-batches in flight could still finish
// one after another, oldest first, within every device's memory (the banker's
// rule, proved in memory_banker.h). So a schedule that is started is finished.
// ResourceExhausted, naming each device, its need, its memory and the bytes
// missing, if and only if one micro-batch alone does not fit (for a chain: no
// order fits then). O(N log S) for N items without a cap; with one, each item
// costs O(log M) and the number of stages on its device more.
absl::StatusOr<Order> ListSchedule(const StageTable& table,
                                   const Policy& policy);

// Why a device started an item.
struct Decision {
  enum class Reason {
    kOnlyItem,  // nothing else was there
    kRule,      // `rule` preferred it to `over`, the next best
    kOrder,     // no rule preferred either; kind, stage and micro-batch did
    kMemory,    // `over` was better but not admitted
  };
  Nanos time_ns = 0;
  int device = 0;
  WorkItem chosen;
  Reason reason = Reason::kOnlyItem;
  WorkItem over;                                     // unless kOnlyItem
  TieBreak rule = TieBreak::kBackwardBeforeForward;  // if kRule
};

// "1200 ns, device 0: B0.1 over F0.4, backward-before-forward: a backward …".
std::string ToString(const Decision& decision);

// The same order, with every decision told to `log` in order of time.
absl::StatusOr<Order> ListScheduleExplained(
    const StageTable& table, const Policy& policy,
    absl::FunctionRef<void(const Decision&)> log);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_LIST_SCHEDULER_H_
