// Whether any plan at all fits into the memory of the devices.

#ifndef OCTOPIPE_COMPILER_BOUNDS_MEMORY_FIT_H_
#define OCTOPIPE_COMPILER_BOUNDS_MEMORY_FIT_H_

#include <optional>
#include <string>

#include "compiler/schedule/problem.h"

namespace octopipe {

// Why no partition, placement and order fits, in words with figures; nullopt if
// one may: (bytes) of memory_claims.h cannot be met, however long a plan takes.
std::optional<std::string> WhyNothingFits(const Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_MEMORY_FIT_H_
