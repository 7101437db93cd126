// Errors of the core at the place in the IR that they speak of.

#ifndef OCTOPIPE_COMPILER_TRANSLATE_STATUS_TO_DIAGNOSTIC_H_
#define OCTOPIPE_COMPILER_TRANSLATE_STATUS_TO_DIAGNOSTIC_H_

#include <vector>

#include "absl/status/status.h"
#include "compiler/base/finding.h"
#include "dialects/pipeline/ir/ops.h"

namespace octopipe {

// Emits `status`, which is not OK, at its subject: the layer, stage, device or
// link of `model`, or the program of `schedule` (which may be null) for an
// item; at `model` where it has none. Returns failure.
mlir::LogicalResult EmitStatus(const absl::Status& status,
                               pipeline::ModelOp model,
                               pipeline::ScheduleOp schedule = {});

// Emits every finding likewise. Success if there are none.
mlir::LogicalResult EmitFindings(const std::vector<Finding>& findings,
                                 pipeline::ModelOp model,
                                 pipeline::ScheduleOp schedule = {});

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSLATE_STATUS_TO_DIAGNOSTIC_H_
