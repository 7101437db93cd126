// The plan that the IR holds, as values.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_

#include <string>
#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// How far a model has been lowered.
enum class Level { kGraph, kPartitioned, kPlaced, kScheduled, kTransfers };

// "graph", "partitioned", "placed", "scheduled", "transfers".
const char* LevelName(Level level);

// kTransfers if all schedules of `model` have their transfers.
Level LevelOf(pipeline::ModelOp model);

// The schedules that name `model`, in the order of the IR.
std::vector<pipeline::ScheduleOp> SchedulesOf(pipeline::ModelOp model);

// `model` is at least partitioned, or placed. Devices are counted in the order
// of the cluster.
Partition PartitionFromIr(pipeline::ModelOp model);
Placement PlacementFromIr(pipeline::ModelOp model);

// Compute items only.
Order OrderFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule);

// What `schedule`, with transfers, holds of them. `table` is that of its plan.
TransferPlan TransfersFromIr(pipeline::ModelOp model,
                             pipeline::ScheduleOp schedule,
                             const StageTable& table);

// Partition, placement and order.
Plan PlanFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_
