#include "dialects/pipeline/ir/register.h"

#include "dialects/pipeline/ir/dialect.h"

namespace octopipe::pipeline {

void RegisterDialect(mlir::DialectRegistry& registry) {
  registry.insert<PipelineDialect>();
}

}  // namespace octopipe::pipeline
