// A plan into the IR, level by level, and back out of it.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_PLAN_TO_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_PLAN_TO_IR_H_

#include "absl/strings/string_view.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/plan.h"
#include "compiler/simulator/metrics.h"
#include "compiler/transfers/transfer_program.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// Wraps the layers of `model`, a layer graph, in the stages of `partition`.
void PartitionToIr(pipeline::ModelOp model, const Partition& partition);

// Sets the device of every stage of `model`, a partitioned one.
void PlacementToIr(pipeline::ModelOp model, const Placement& placement);

// Adds a schedule of `model`, a placed one, behind it: one program per device
// that has work. It is named after the model, with "_plan".
pipeline::ScheduleOp OrderToIr(pipeline::ModelOp model, const Order& order,
                               absl::string_view policy);

// Sets the transfers of `schedule` and its programs, transfers included. Of
// `options`, which made `plan`, it keeps what TransfersFromIr needs.
void TransfersToIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule,
                   const TransferPlan& plan, const TransferOptions& options);

// The attribute that records what a schedule reaches.
pipeline::MetricsAttr MetricsToIr(mlir::MLIRContext* context,
                                  const Metrics& metrics, const Bound& bound);

// Take one level back: forget the transfers of the schedules of `model`; erase
// its schedules; forget the devices of
// its stages; put the layers back into the model's body.
void EraseTransfers(pipeline::ModelOp model);
void EraseSchedules(pipeline::ModelOp model);
void ErasePlacement(pipeline::ModelOp model);
void ErasePartition(pipeline::ModelOp model);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_PLAN_TO_IR_H_
