// Serves editors: diagnostics, hover, go to definition in pipeline IR.

#include "dialects/pipeline/ir/register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  octopipe::pipeline::RegisterDialect(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
