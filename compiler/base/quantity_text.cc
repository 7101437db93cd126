#include "compiler/base/quantity_text.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace octopipe {

std::string CountText(int64_t value) {
  std::string digits = absl::StrCat(value);
  const int first = digits[0] == '-' ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(at, ",");
  }
  return digits;
}

std::string NanosText(Nanos ns) {
  const bool negative = ns < 0;
  const uint64_t magnitude =
      negative ? uint64_t{0} - static_cast<uint64_t>(ns) : ns;
  const uint64_t micros = magnitude / 1000 + (magnitude % 1000 >= 500 ? 1 : 0);
  return absl::StrFormat("%s%s.%03d ms", negative ? "-" : "",
                         CountText(static_cast<int64_t>(micros / 1000)),
                         micros % 1000);
}

std::string BytesText(Bytes bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB",
                                                 "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  int unit = 0;
  while (unit + 1 < static_cast<int>(kUnits.size()) &&
         bytes >> (10 * (unit + 2)) > 0) {
    ++unit;
  }
  const int shift = 10 * (unit + 1);
  const Bytes whole = bytes >> shift;
  const Bytes rest = bytes - (whole << shift);
  if (rest == 0) return absl::StrCat(whole, " ", kUnits[unit]);
  // The tenth, without overflow: a unit has at least 10 bits.
  const Bytes tenth = ((rest >> (shift - 10)) * 10) >> 10;
  return absl::StrCat(whole, ".", tenth, " ", kUnits[unit]);
}

std::string PercentText(int64_t numerator, int64_t denominator) {
  if (denominator == 0) return "-";
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(numerator) /
                                        static_cast<double>(denominator));
}

}  // namespace octopipe
