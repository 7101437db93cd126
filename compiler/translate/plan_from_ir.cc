#include "compiler/translate/plan_from_ir.h"

#include "compiler/transfers/read_transfers.h"
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

// Of each device, in the order of the cluster.
std::vector<std::vector<WorkItem>> ProgramsOf(pipeline::ModelOp model,
                                              pipeline::ScheduleOp schedule) {
  const llvm::StringMap<int> index_of = DeviceIndices(model);
  std::vector<std::vector<WorkItem>> programs(index_of.size());
  for (auto program : schedule.getBody().getOps<pipeline::ProgramOp>()) {
    programs[index_of.lookup(program.getDevice())] =
        program.getItems().getItems().vec();
  }
  return programs;
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
    case Level::kTransfers:
      return "transfers";
  }
  return "";
}

Level LevelOf(pipeline::ModelOp model) {
  const std::vector<pipeline::StageOp> stages = model.getStages();
  if (stages.empty()) return Level::kGraph;
  pipeline::StageOp first = stages.front();
  if (!first.getDeviceAttr()) return Level::kPartitioned;
  const std::vector<pipeline::ScheduleOp> schedules = SchedulesOf(model);
  if (schedules.empty()) return Level::kPlaced;
  for (pipeline::ScheduleOp schedule : schedules) {
    if (!schedule.getTransfersAttr()) return Level::kScheduled;
  }
  return Level::kTransfers;
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
  Order order;
  order.programs = ProgramsOf(model, schedule);
  for (std::vector<WorkItem>& program : order.programs) {
    llvm::erase_if(program,
                   [](const WorkItem& item) { return !IsCompute(item.kind); });
  }
  return order;
}

TransferPlan TransfersFromIr(pipeline::ModelOp model,
                             pipeline::ScheduleOp schedule,
                             const StageTable& table) {
  const pipeline::TransfersAttr transfers = schedule.getTransfersAttr();
  TransferOptions options;
  options.slots = static_cast<int>(transfers.getSlots());
  options.channel_per_kind = transfers.getChannelPerKind();
  options.group = transfers.getGroup();
  return ReadTransfers(table, ProgramsOf(model, schedule), options);
}

Plan PlanFromIr(pipeline::ModelOp model, pipeline::ScheduleOp schedule) {
  return {PartitionFromIr(model), PlacementFromIr(model),
          OrderFromIr(model, schedule)};
}

}  // namespace octopipe
