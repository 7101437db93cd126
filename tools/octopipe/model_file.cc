#include "tools/octopipe/model_file.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/artifact/file_io.h"
#include "compiler/base/status_macros.h"
#include "compiler/translate/plan_from_ir.h"
#include "compiler/translate/problem_from_ir.h"
#include "compiler/translate/problem_to_ir.h"
#include "dialects/pipeline/ir/register.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

namespace octopipe {
namespace {

// Bytecode by its magic number; text if it names an operation of the dialect,
// which no profile does.
bool IsMlir(const std::string& contents) {
  return mlir::isBytecode(llvm::MemoryBufferRef(contents, "")) ||
         absl::StrContains(contents, "pipeline.model");
}

bool ChangesCosts(const ImportOptions& options) {
  return options.round_ns != 1 || options.activation_bytes_per_layer != 0 ||
         options.param_bytes_per_layer != 0 ||
         options.output_bytes_per_layer != 0 || options.fold_ends;
}

void PrintWarnings(const std::string& path,
                   const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "%s: warning: %s\n", DisplayName(path).c_str(),
                 warning.c_str());
  }
}

}  // namespace

ModelFile::ModelFile() {
  mlir::DialectRegistry registry;
  pipeline::RegisterDialect(registry);
  context_.appendDialectRegistry(registry);
  context_.loadAllAvailableDialects();
  handler_ =
      std::make_unique<mlir::SourceMgrDiagnosticHandler>(sources_, &context_);
  module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
}

absl::StatusOr<std::unique_ptr<ModelFile>> ModelFile::Read(
    const std::string& path, const ImportOptions& options) {
  OCTOPIPE_ASSIGN_OR_RETURN(std::string contents, ReadFile(path));
  std::unique_ptr<ModelFile> file(new ModelFile());
  if (!IsMlir(contents)) {
    OCTOPIPE_ASSIGN_OR_RETURN(
        ImportedProfile imported,
        ImportProfile(DisplayName(path), std::move(contents), options));
    PrintWarnings(path, imported.warnings);
    Problem problem;
    problem.name =
        imported.profile.name.empty() ? "model" : imported.profile.name;
    problem.layers = std::move(imported.profile.layers);
    problem.tokens_per_micro_batch = imported.profile.tokens_per_micro_batch();
    file->Replace(path, problem);
    return file;
  }
  OCTOPIPE_RETURN_IF_ERROR(file->ParseModule(path, std::move(contents)));
  if (ChangesCosts(options)) {
    Problem problem = ProblemFromIr(file->model());
    OCTOPIPE_ASSIGN_OR_RETURN(
        const std::vector<std::string> warnings,
        AdjustLayers(options, /*whole_backward=*/false, problem.layers));
    PrintWarnings(path, warnings);
    file->Replace(path, problem);
  }
  return file;
}

absl::Status ModelFile::ParseModule(const std::string& path,
                                    std::string contents) {
  sources_.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(contents, DisplayName(path)),
      llvm::SMLoc());
  module_ = mlir::parseSourceFile<mlir::ModuleOp>(
      sources_, mlir::ParserConfig(&context_));
  // The handler has printed what is wrong, line by line.
  if (!module_) return absl::InvalidArgumentError("");
  auto models = module_->getOps<pipeline::ModelOp>();
  const auto count = std::distance(models.begin(), models.end());
  if (count == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(DisplayName(path), ": has ", count,
                   " models, expected one; octopipe-opt takes any number"));
}

void ModelFile::Replace(const std::string& path, const Problem& problem) {
  module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_));
  ProblemToIr(problem, *module_);
  // What diagnostics name; a profile has no line for an operation.
  const auto file =
      mlir::FileLineColLoc::get(&context_, DisplayName(path), 0, 0);
  module_->walk([&](mlir::Operation* op) { op->setLoc(file); });
}

pipeline::ModelOp ModelFile::model() {
  return *module_->getOps<pipeline::ModelOp>().begin();
}

pipeline::ScheduleOp ModelFile::schedule() {
  const std::vector<pipeline::ScheduleOp> schedules = SchedulesOf(model());
  return schedules.empty() ? pipeline::ScheduleOp() : schedules.front();
}

std::string ModelFile::Text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream);
  stream << "\n";
  return text;
}

}  // namespace octopipe
