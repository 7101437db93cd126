// Whole numbers on the command line, within bounds.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_INTEGER_FLAG_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_INTEGER_FLAG_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace octopipe {

// Makes `option` refuse each value that is not a whole number from `least` to
// `most`, naming the flag, the bounds and the value. CLI11 alone clamps what
// overflows.
CLI::Option* InRange(CLI::Option* option, int64_t least, int64_t most);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_INTEGER_FLAG_H_
