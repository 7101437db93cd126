#include "tools/octopipe-opt/emit.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/artifact/schedule_proto.h"
#include "compiler/base/status_macros.h"
#include "compiler/translate/artifact_from_ir.h"
#include "compiler/translate/plan_from_ir.h"
#include "dialects/pipeline/ir/ops.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace octopipe {

llvm::cl::ValuesClass EmitKindValues() {
  return llvm::cl::values(
      clEnumValN(EmitKind::kMlir, "mlir", "the module"),
      clEnumValN(EmitKind::kSchedule, "schedule",
                 "its schedule, as binary octopipe.v1.Schedule"),
      clEnumValN(EmitKind::kScheduleText, "schedule-text",
                 "its schedule, as text"));
}

absl::StatusOr<std::string> EmitSchedule(
    const std::string& module, EmitKind kind,
    const mlir::DialectRegistry& registry) {
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> parsed =
      mlir::parseSourceString<mlir::ModuleOp>(module, &context);
  if (!parsed) return absl::InvalidArgumentError("");
  std::vector<std::pair<pipeline::ModelOp, pipeline::ScheduleOp>> found;
  for (auto model : parsed->getOps<pipeline::ModelOp>()) {
    for (pipeline::ScheduleOp schedule : SchedulesOf(model)) {
      found.push_back({model, schedule});
    }
  }
  if (found.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--emit=schedule needs a module with one schedule, found ",
                     found.size(), "; run pipeline-plan or pipeline-schedule"));
  }
  OCTOPIPE_ASSIGN_OR_RETURN(
      const Artifact artifact,
      ArtifactFromIr(found.front().first, found.front().second, {}));
  return EncodeSchedule(artifact, kind == EmitKind::kScheduleText);
}

}  // namespace octopipe
