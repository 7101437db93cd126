#include "compiler/artifact/proto_checks.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/units.h"

namespace octopipe {

absl::Status CheckRange(absl::string_view path, absl::string_view field,
                        int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, path.empty() ? "" : ".", field, ": expected ", min,
      min == max ? "" : absl::StrCat(" to ", max), ", got ", value));
}

absl::Status CheckQuantity(absl::string_view path, absl::string_view field,
                           int64_t value) {
  return CheckRange(path, field, value, 0, kMaxTotal);
}

absl::Status CheckTokens(int64_t sequence_length, int64_t micro_batch_size) {
  if (micro_batch_size == 0 ||
      sequence_length <= kMaxTotal / micro_batch_size) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "micro_batch_size: ", micro_batch_size, " sequences of ", sequence_length,
      " tokens are more than ", kMaxTotal, " tokens"));
}

absl::Status CheckUtf8(absl::string_view what, absl::string_view text) {
  if (IsValidUtf8(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " '", absl::CHexEscape(text), "' is not valid UTF-8; rename it"));
}

}  // namespace octopipe
