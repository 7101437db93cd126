// Costs that no hardware has.

#ifndef OCTOPIPE_COMPILER_IMPORT_DEGENERATE_FIT_H_
#define OCTOPIPE_COMPILER_IMPORT_DEGENERATE_FIT_H_

#include <string>
#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {

// A fit that hits its lower bound leaves times of nanoseconds.
inline constexpr Nanos kDegenerateNs = 1000;

// One sentence for every kind and gradient whose time is at most kDegenerateNs
// while the forward takes more than ten times that, in the order of the layers:
// sums over a stage stay right, the kind's own share does not. An embedding
// without an input gradient is not degenerate. With `whole_backward` b_ns is
// the whole and w_ns is not looked at.
std::vector<std::string> DegenerateFits(const std::vector<Layer>& layers,
                                        bool whole_backward);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_DEGENERATE_FIT_H_
