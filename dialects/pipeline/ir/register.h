// Makes the dialect known to a tool.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_REGISTER_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace octopipe::pipeline {

void RegisterDialect(mlir::DialectRegistry& registry);

}  // namespace octopipe::pipeline

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_REGISTER_H_
