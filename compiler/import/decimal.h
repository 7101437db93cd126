// Decimal numbers to integers without floating point.

#ifndef OCTOPIPE_COMPILER_IMPORT_DECIMAL_H_
#define OCTOPIPE_COMPILER_IMPORT_DECIMAL_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace octopipe {

// The number `text`, in JSON's grammar, times 10^`scale`, to the nearest
// integer, halves away from zero: ("5.7739", 6) is 5773900. nullopt if `text`
// is no such number or the result exceeds kMaxTotal in size.
std::optional<int64_t> ScaledDecimal(absl::string_view text, int scale);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_DECIMAL_H_
