// A duration as a flag.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_DURATION_FLAG_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_DURATION_FLAG_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace octopipe {

// Adds an option that takes a duration above zero, as a decimal number of
// seconds or with a unit, "500ms", "1.5s", "2m", into `milliseconds`. What is
// below a millisecond is rounded up.
CLI::Option* AddDuration(CLI::App& command, const std::string& name,
                         int64_t* milliseconds, const std::string& help);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_DURATION_FLAG_H_
