// What a result rests on beside the measured times, in words.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_ASSUMPTIONS_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Whether any layer needs memory: without, a peak of 0 bytes says nothing.
bool HasMemory(const Problem& problem);

// The memory of every device if all have the same, 0 if none has a limit, -1 if
// they differ.
Bytes CommonCapacity(const Problem& problem);

// A phrase each for what transfers cost, what starting an item costs, and
// whether memory limits the plan.
std::vector<std::string> Assumptions(const Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_ASSUMPTIONS_H_
