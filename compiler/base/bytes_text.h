// Bytes in words, for messages.

#ifndef OCTOPIPE_COMPILER_BASE_BYTES_TEXT_H_
#define OCTOPIPE_COMPILER_BASE_BYTES_TEXT_H_

#include <string>

#include "compiler/base/units.h"

namespace octopipe {

// "80 GiB", "91.2 GiB", "1023 bytes": the largest binary unit of which `bytes`
// has one, with a decimal, cut off, where the value is not whole. `bytes` ≥ 0.
std::string BytesText(Bytes bytes);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BASE_BYTES_TEXT_H_
