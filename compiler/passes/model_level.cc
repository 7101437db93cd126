#include "compiler/passes/model_level.h"

#include <utility>

#include "compiler/schedule/check_problem.h"
#include "compiler/translate/problem_from_ir.h"
#include "compiler/translate/status_to_diagnostic.h"

namespace octopipe {
namespace {

const char* Describe(Level level) {
  return level == Level::kTransfers ? "scheduled with transfers"
                                    : LevelName(level);
}

}  // namespace

mlir::LogicalResult ExpectLevel(pipeline::ModelOp model, Level level) {
  const Level found = LevelOf(model);
  if (found == level) return mlir::success();
  mlir::InFlightDiagnostic error =
      mlir::emitError(model.getLoc())
      << "model @" << model.getSymName() << " is " << Describe(found)
      << (found == Level::kGraph ? " of layers" : "") << ", expected "
      << Describe(level) << "; ";
  if (found > level) {
    error << "take it back with pipeline-strip-plan{to=" << LevelName(level)
          << "}";
  } else if (found == Level::kGraph) {
    error << "run pipeline-partition first";
  } else if (found == Level::kPartitioned) {
    error << "run pipeline-place first";
  } else if (found == Level::kPlaced) {
    error << "run pipeline-schedule first";
  } else {
    error << "run pipeline-insert-transfers first";
  }
  return error;
}

mlir::FailureOr<Problem> ReadProblem(pipeline::ModelOp model) {
  Problem problem = ProblemFromIr(model);
  if (mlir::failed(EmitFindings(CheckProblem(problem), model))) {
    return mlir::failure();
  }
  return problem;
}

}  // namespace octopipe
