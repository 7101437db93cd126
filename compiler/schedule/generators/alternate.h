// What 1F1B, ZB-H1 and ZB-H2 share: forwards to fill the pipeline, then
// backwards and forwards in turn.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_ALTERNATE_H_
#define OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_ALTERNATE_H_

#include <vector>

#include "compiler/schedule/work_item.h"

namespace octopipe {

// The program of one slot with whole backwards: `warmup` forwards, at least 1,
// then a backward and a forward in turn until none is left.
//
// No program waits for ever if no slot's warm-up exceeds that of the slot
// before: the backward of micro-batch i there waits, on the later slot, for the
// forward of micro-batch i + warmup − 1 at most, which the earlier slot has run
// before its own backward of i.
std::vector<WorkItem> Alternate(int slot, int micro_batches, int warmup);

// The same with split backwards. A weight gradient runs as soon as the input
// gradient `delay` micro-batches later has, before the next forward, so that
// at most warmup + delay micro-batches hold activations.
std::vector<WorkItem> AlternateSplit(int slot, int micro_batches, int warmup,
                                     int delay);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_ALTERNATE_H_
