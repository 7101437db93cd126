// Models from files: the dialect's text or bytecode, or a profile.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_MODEL_FILE_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_MODEL_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/import/import_profile.h"
#include "compiler/schedule/problem.h"
#include "dialects/pipeline/ir/ops.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace octopipe {

// A file with exactly one model, as a module, with diagnostics that show its
// lines.
class ModelFile {
 public:
  // Reads `path` ("-" for standard input). A profile is imported with `options`
  // and has no devices yet; a model keeps its plan, if it has one, unless
  // `options` change its costs. Warnings go to standard error.
  static absl::StatusOr<std::unique_ptr<ModelFile>> Read(
      const std::string& path, const ImportOptions& options);

  mlir::ModuleOp module() { return *module_; }
  pipeline::ModelOp model();

  // The schedule of the model; null if it has none.
  pipeline::ScheduleOp schedule();

  // The module as text.
  std::string Text();

 private:
  ModelFile();

  absl::Status ParseModule(const std::string& path, std::string contents);
  // The module of `problem`, which `path` describes.
  void Replace(const std::string& path, const Problem& problem);

  mlir::MLIRContext context_;
  llvm::SourceMgr sources_;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_MODEL_FILE_H_
