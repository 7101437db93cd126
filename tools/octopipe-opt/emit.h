// What octopipe-opt can write besides MLIR.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_OPT_EMIT_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_OPT_EMIT_H_

#include <string>

#include "absl/status/statusor.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/IR/DialectRegistry.h"

namespace octopipe {

enum class EmitKind { kMlir, kSchedule, kScheduleText };

llvm::cl::ValuesClass EmitKindValues();

// The one schedule in `module`, text or bytecode, as octopipe.v1.Schedule,
// binary or text. InvalidArgument if there is none or more than one; the
// message is empty where diagnostics have said it all.
absl::StatusOr<std::string> EmitSchedule(const std::string& module,
                                         EmitKind kind,
                                         const mlir::DialectRegistry& registry);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_OPT_EMIT_H_
