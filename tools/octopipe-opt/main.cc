// The compiler: reads the pipeline dialect, runs passes, writes it or the
// schedule that it holds.

#include <string>

#include "compiler/artifact/file_io.h"
#include "compiler/passes/passes.h"
#include "dialects/pipeline/ir/register.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tools/octopipe-opt/emit.h"

namespace {

int Fail(const absl::Status& status) {
  // Diagnostics have been printed where there is no message.
  if (!status.message().empty()) {
    llvm::WithColor::error() << std::string(status.message()) << "\n";
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  llvm::InitLLVM init(argc, argv);
  static llvm::cl::opt<octopipe::EmitKind> emit(
      "emit", llvm::cl::desc("What to write"),
      llvm::cl::init(octopipe::EmitKind::kMlir), octopipe::EmitKindValues());
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  octopipe::RegisterPasses();
  mlir::DialectRegistry registry;
  octopipe::pipeline::RegisterDialect(registry);
  const auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "OctoPipe's planning compiler\n", registry);

  const absl::StatusOr<std::string> source = octopipe::ReadFile(input);
  if (!source.ok()) return Fail(source.status());
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (mlir::failed(mlir::MlirOptMain(
          stream,
          llvm::MemoryBuffer::getMemBufferCopy(*source,
                                               octopipe::DisplayName(input)),
          registry, mlir::MlirOptMainConfig::createFromCLOptions()))) {
    return 1;
  }
  if (emit != octopipe::EmitKind::kMlir) {
    absl::StatusOr<std::string> schedule =
        octopipe::EmitSchedule(result, emit, registry);
    if (!schedule.ok()) return Fail(schedule.status());
    result = *std::move(schedule);
  }
  const absl::Status written = octopipe::WriteFileAtomically(output, result);
  return written.ok() ? 0 : Fail(written);
}
