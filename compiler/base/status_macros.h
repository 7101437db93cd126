// Early return for absl::Status and absl::StatusOr.

#ifndef OCTOPIPE_COMPILER_BASE_STATUS_MACROS_H_
#define OCTOPIPE_COMPILER_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns the status of `expr` from the enclosing function unless it is OK.
#define OCTOPIPE_RETURN_IF_ERROR(expr)                                \
  do {                                                                \
    if (absl::Status octopipe_status = (expr); !octopipe_status.ok()) \
      return octopipe_status;                                         \
  } while (false)

// Evaluates the StatusOr `expr`; on success moves its value into `lhs`, which
// may be a declaration, else returns its status.
#define OCTOPIPE_ASSIGN_OR_RETURN(lhs, expr) \
  OCTOPIPE_ASSIGN_OR_RETURN_IMPL_(           \
      OCTOPIPE_CONCAT_(octopipe_status_or_, __LINE__), lhs, expr)

#define OCTOPIPE_CONCAT_INNER_(a, b) a##b
#define OCTOPIPE_CONCAT_(a, b) OCTOPIPE_CONCAT_INNER_(a, b)
#define OCTOPIPE_ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                                    \
  if (!result.ok()) return std::move(result).status();     \
  lhs = *std::move(result)

#endif  // OCTOPIPE_COMPILER_BASE_STATUS_MACROS_H_
