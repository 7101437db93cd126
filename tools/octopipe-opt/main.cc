// The compiler: reads the pipeline dialect, runs passes, writes it.

#include "dialects/pipeline/ir/register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char** argv) {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::DialectRegistry registry;
  octopipe::pipeline::RegisterDialect(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "OctoPipe's planning compiler\n", registry));
}
