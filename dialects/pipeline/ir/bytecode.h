// The binary form of the attributes.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_BYTECODE_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_BYTECODE_H_

#include "dialects/pipeline/ir/dialect.h"

namespace octopipe::pipeline {

// Called once, by the dialect's initialize(). An attribute is a code and its
// parameters in the order of attrs.td; codes are never reused.
void AddBytecodeInterface(PipelineDialect& dialect);

}  // namespace octopipe::pipeline

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_BYTECODE_H_
