#include "compiler/translate/status_to_diagnostic.h"

#include <optional>

#include "compiler/translate/problem_from_ir.h"
#include "mlir/IR/Diagnostics.h"

namespace octopipe {
namespace {

template <typename Range>
mlir::Location LocationAt(Range&& ops, int64_t index,
                          mlir::Location otherwise) {
  for (auto op : ops) {
    if (index-- == 0) return op.getLoc();
  }
  return otherwise;
}

mlir::Location ProgramLocation(pipeline::ModelOp model,
                               pipeline::ScheduleOp schedule, int64_t device) {
  if (!schedule) return model.getLoc();
  for (auto op : ClusterOf(model).getBody().getOps<pipeline::DeviceOp>()) {
    if (device-- != 0) continue;
    for (auto program : schedule.getBody().getOps<pipeline::ProgramOp>()) {
      if (program.getDevice() == op.getSymName()) return program.getLoc();
    }
  }
  return schedule.getLoc();
}

mlir::Location LocationOf(const Subject& subject, pipeline::ModelOp model,
                          pipeline::ScheduleOp schedule) {
  pipeline::ClusterOp cluster = ClusterOf(model);
  switch (subject.kind) {
    case SubjectKind::kProblem:
      break;
    case SubjectKind::kLayer:
      return LocationAt(model.getLayers(), subject.index, model.getLoc());
    case SubjectKind::kStage:
      return LocationAt(model.getStages(), subject.index, model.getLoc());
    case SubjectKind::kDevice:
      if (!cluster) break;
      return LocationAt(cluster.getBody().getOps<pipeline::DeviceOp>(),
                        subject.index, model.getLoc());
    case SubjectKind::kLink:
      if (!cluster) break;
      return LocationAt(cluster.getBody().getOps<pipeline::LinkOp>(),
                        subject.index, model.getLoc());
    case SubjectKind::kItem:
      return ProgramLocation(model, schedule, subject.index);
  }
  return model.getLoc();
}

}  // namespace

mlir::LogicalResult EmitStatus(const absl::Status& status,
                               pipeline::ModelOp model,
                               pipeline::ScheduleOp schedule) {
  const absl::string_view message = status.message();
  return mlir::emitError(
             LocationOf(SubjectOf(status).value_or(Subject{}), model, schedule))
         << llvm::StringRef(message.data(), message.size());
}

mlir::LogicalResult EmitFindings(const std::vector<Finding>& findings,
                                 pipeline::ModelOp model,
                                 pipeline::ScheduleOp schedule) {
  for (const Finding& finding : findings) {
    mlir::emitError(LocationOf(finding.subject, model, schedule))
        << finding.message;
  }
  return mlir::success(findings.empty());
}

}  // namespace octopipe
