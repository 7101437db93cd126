// Durations and sizes as a person reads them. For messages and reports only:
// nothing parses these texts.

#ifndef OCTOPIPE_COMPILER_BASE_QUANTITY_TEXT_H_
#define OCTOPIPE_COMPILER_BASE_QUANTITY_TEXT_H_

#include <cstdint>
#include <string>

#include "compiler/base/units.h"

namespace octopipe {

// With thousands separators: 1234567 is "1,234,567".
std::string CountText(int64_t value);

// Milliseconds to the microsecond, "1,331.210 ms"; exact, in integers, rounded
// half away from zero.
std::string NanosText(Nanos ns);

// "80 GiB", "91.2 GiB", "1023 bytes": the largest binary unit of which `bytes`
// has one, with a decimal, cut off, where the value is not whole. `bytes` ≥ 0.
std::string BytesText(Bytes bytes);

// numerator / denominator in percent to a tenth, "4.5 %". "-" where the
// denominator is 0.
std::string PercentText(int64_t numerator, int64_t denominator);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BASE_QUANTITY_TEXT_H_
