#include "compiler/base/bytes_text.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace octopipe {

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

}  // namespace octopipe
