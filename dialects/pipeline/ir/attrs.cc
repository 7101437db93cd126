#include "dialects/pipeline/ir/attrs.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "dialects/pipeline/ir/dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

// clang-format off: the generated code needs the headers above it.
#include "dialects/pipeline/ir/enums.cc.inc"
// clang-format on

#define GET_ATTRDEF_CLASSES
#include "dialects/pipeline/ir/attrs.cc.inc"

namespace octopipe::pipeline {
namespace {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
using Quantity = std::pair<llvm::StringRef, int64_t>;

// `owner` opens the message: `profile "mamba"`.
mlir::LogicalResult VerifyNotNegative(EmitError emit_error,
                                      const llvm::Twine& owner,
                                      llvm::ArrayRef<Quantity> quantities) {
  for (const auto& [key, value] : quantities) {
    if (value < 0) {
      return emit_error() << owner << ": " << key << " is " << value
                          << "; expected at least 0";
    }
  }
  return mlir::success();
}

}  // namespace

void PipelineDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/pipeline/ir/attrs.cc.inc"
      >();
}

mlir::LogicalResult TimesAttr::verify(EmitError emit_error, int64_t f_ns,
                                      int64_t b_ns, int64_t w_ns) {
  return VerifyNotNegative(emit_error, "times",
                           {{"f_ns", f_ns}, {"b_ns", b_ns}, {"w_ns", w_ns}});
}

mlir::LogicalResult ProfileAttr::verify(
    EmitError emit_error, llvm::StringRef kind, int64_t f_ns, int64_t b_ns,
    int64_t w_ns, int64_t param_bytes, int64_t grad_bytes,
    int64_t optimizer_bytes, int64_t saved_b_bytes, int64_t saved_w_bytes,
    int64_t f_workspace_bytes, int64_t b_workspace_bytes, bool unsplittable,
    Role role, mlir::DictionaryAttr on) {
  for (mlir::NamedAttribute entry : on) {
    if (!llvm::isa<TimesAttr>(entry.getValue())) {
      return emit_error() << "profile \"" << kind << "\": on "
                          << entry.getName() << " is " << entry.getValue()
                          << "; expected #pipeline.times";
    }
  }
  return VerifyNotNegative(emit_error, "profile \"" + kind + "\"",
                           {{"f_ns", f_ns},
                            {"b_ns", b_ns},
                            {"w_ns", w_ns},
                            {"param_bytes", param_bytes},
                            {"grad_bytes", grad_bytes},
                            {"optimizer_bytes", optimizer_bytes},
                            {"saved_b_bytes", saved_b_bytes},
                            {"saved_w_bytes", saved_w_bytes},
                            {"f_workspace_bytes", f_workspace_bytes},
                            {"b_workspace_bytes", b_workspace_bytes}});
}

std::optional<TimesAttr> ProfileAttr::getTimesOn(
    llvm::StringRef device_kind) const {
  if (auto times = getOn().getAs<TimesAttr>(device_kind)) return times;
  return std::nullopt;
}

mlir::LogicalResult MetricsAttr::verify(EmitError emit_error,
                                        int64_t makespan_ns, int64_t bound_ns,
                                        llvm::StringRef bound,
                                        int64_t bubble_permille) {
  if (bubble_permille > 1000) {
    return emit_error() << "metrics: bubble_permille is " << bubble_permille
                        << "; expected at most 1000";
  }
  if (bound_ns > makespan_ns) {
    return emit_error() << "metrics: bound_ns is " << bound_ns
                        << "; expected at most makespan_ns, " << makespan_ns;
  }
  return VerifyNotNegative(emit_error, "metrics",
                           {{"makespan_ns", makespan_ns},
                            {"bound_ns", bound_ns},
                            {"bubble_permille", bubble_permille}});
}

mlir::LogicalResult TransfersAttr::verify(EmitError emit_error, int64_t slots,
                                          bool, bool) {
  constexpr int64_t kMost = std::numeric_limits<int16_t>::max();
  if (slots >= 1 && slots <= kMost) return mlir::success();
  return emit_error() << "transfers: slots is " << slots << "; expected 1 to "
                      << kMost;
}

mlir::LogicalResult ItemsAttr::verify(EmitError emit_error,
                                      llvm::ArrayRef<WorkItem> items) {
  for (const auto& [position, item] : llvm::enumerate(items)) {
    if (item.stage < 0 || item.micro_batch < 0 || item.slot < -1 ||
        item.peer < -1) {
      return emit_error() << "items: item " << position << " ("
                          << ToString(item)
                          << ") has a negative number; expected at least 0";
    }
  }
  return mlir::success();
}

}  // namespace octopipe::pipeline
