// Quantities of the planner core: integer nanoseconds and bytes.
//
// Both are 64-bit signed. Sums over a whole problem are checked once, by
// CheckProblem, against kMaxTotal; the algorithms behind it add freely.

#ifndef OCTOPIPE_COMPILER_BASE_UNITS_H_
#define OCTOPIPE_COMPILER_BASE_UNITS_H_

#include <cstdint>

namespace octopipe {

using Nanos = int64_t;
using Bytes = int64_t;

// No sum of durations or of bytes over all items of a valid problem exceeds
// this, so that a few further additions cannot overflow. About 36 years in ns.
inline constexpr int64_t kMaxTotal = int64_t{1} << 60;

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BASE_UNITS_H_
