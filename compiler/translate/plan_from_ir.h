// The plan that the IR holds, as values.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_
#define OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_

#include <string>
#include <vector>

#include "compiler/schedule/plan.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// How far a model has been lowered.
enum class Level { kGraph, kPartitioned, kPlaced, kScheduled };

// "graph", "partitioned", "placed", "scheduled".
const char* LevelName(Level level);

Level LevelOf(pipeline::ModelOp model);

// The schedules that name `model`, in the order of the IR.
std::vector<pipeline::ScheduleOp> SchedulesOf(pipeline::ModelOp model);

// `model` is at least partitioned, or placed. Devices are counted in the order
// of the cluster.
Partition PartitionFromIr(pipeline::ModelOp model);
Placement PlacementFromIr(pipeline::ModelOp model);

// Compute items only: sends and receives follow from the other two.
Order OrderFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule);

// All three.
Plan PlanFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_PLAN_FROM_IR_H_
