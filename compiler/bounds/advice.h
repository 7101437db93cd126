// What would move the bound that binds: found by changing the problem and
// bounding it again.

#ifndef OCTOPIPE_COMPILER_BOUNDS_ADVICE_H_
#define OCTOPIPE_COMPILER_BOUNDS_ADVICE_H_

#include <vector>

#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Fills in the advice of the largest of `bounds`, which are all of `problem`'s:
// of the changes
//  - the layer that takes longest, in two halves,
//  - every layer in two halves,
//  - twice the micro-batches,
//  - twice the memory, where it is limited,
// the one after which the largest bound is least, and by how much, and the next
// if it is not far behind; how much of the bound is plain work if none helps;
// and how few of the devices, from the first on, have the same bound. Takes as
// long as AllBounds() a few times.
void Advise(const Problem& problem, std::vector<Bound>& bounds);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_ADVICE_H_
