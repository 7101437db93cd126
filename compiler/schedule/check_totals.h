// Whether the sums over a whole problem fit the integers that the core adds in.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_CHECK_TOTALS_H_
#define OCTOPIPE_COMPILER_SCHEDULE_CHECK_TOTALS_H_

#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// A finding for each of compute time, transfer time and bytes that, summed over
// all layers and micro-batches, exceeds kMaxTotal on the slowest device or
// link. Expects that no cost is negative, no speed below 1 and every input in
// range. Does not overflow itself.
void CheckTotals(const Problem& problem, FindingList& findings);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_CHECK_TOTALS_H_
