#include "compiler/translate/plan_from_ir.h"

#include "compiler/translate/problem_from_ir.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace octopipe {
namespace {

llvm::StringMap<int> DeviceIndices(pipeline::ModelOp model) {
  llvm::StringMap<int> index_of;
  int d = 0;
  for (auto device : ClusterOf(model).getBody().getOps<pipeline::DeviceOp>()) {
    index_of[device.getSymName()] = d++;
  }
  return index_of;
}

}  // namespace

const char* LevelName(Level level) {
  switch (level) {
    case Level::kGraph:
      return "graph";
    case Level::kPartitioned:
      return "partitioned";
    case Level::kPlaced:
      return "placed";
    case Level::kScheduled:
      return "scheduled";
  }
  return "";
}

Level LevelOf(pipeline::ModelOp model) {
  const std::vector<pipeline::StageOp> stages = model.getStages();
  if (stages.empty()) return Level::kGraph;
  pipeline::StageOp first = stages.front();
  if (!first.getDeviceAttr()) return Level::kPartitioned;
  return SchedulesOf(model).empty() ? Level::kPlaced : Level::kScheduled;
}

std::vector<pipeline::ScheduleOp> SchedulesOf(pipeline::ModelOp model) {
  std::vector<pipeline::ScheduleOp> schedules;
  for (auto schedule : model->getBlock()->getOps<pipeline::ScheduleOp>()) {
    if (schedule.getModel() == model.getSymName()) {
      schedules.push_back(schedule);
    }
  }
  return schedules;
}

Partition PartitionFromIr(pipeline::ModelOp model) {
  Partition partition;
  for (pipeline::StageOp stage : model.getStages()) {
    auto layers = stage.getBody().getOps<pipeline::LayerOp>();
    partition.begin.push_back(
        partition.begin.back() +
        static_cast<int>(std::distance(layers.begin(), layers.end())));
  }
  return partition;
}

Placement PlacementFromIr(pipeline::ModelOp model) {
  const llvm::StringMap<int> index_of = DeviceIndices(model);
  Placement placement;
  for (pipeline::StageOp stage : model.getStages()) {
    placement.device.push_back(index_of.lookup(*stage.getDevice()));
  }
  return placement;
}

Order OrderFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule) {
  const llvm::StringMap<int> index_of = DeviceIndices(model);
  Order order;
  order.programs.resize(index_of.size());
  for (auto program : schedule.getBody().getOps<pipeline::ProgramOp>()) {
    std::vector<WorkItem>& items =
        order.programs[index_of.lookup(program.getDevice())];
    for (const WorkItem& item : program.getItems().getItems()) {
      if (IsCompute(item.kind)) items.push_back(item);
    }
  }
  return order;
}

Plan PlanFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule) {
  return {PartitionFromIr(model), PlacementFromIr(model),
          OrderFromIr(model, schedule)};
}

}  // namespace octopipe
