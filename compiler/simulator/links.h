// When the messages of a timeline travel.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_LINKS_H_
#define OCTOPIPE_COMPILER_SIMULATOR_LINKS_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

// What one arc of the work DAG carries for one micro-batch. Without a channel
// all times are that of the producer's end.
struct MessageTimes {
  Nanos ready_ns = -1;  // the producer's end; -1: it is in no program
  Nanos start_ns = -1;  // on the channel
  Nanos arrival_ns = -1;
  // The message that the channel had to finish first, as an index into the
  // result; -1 if it was free.
  int64_t behind = -1;
};

// All messages of `timeline`, which is that of `order`; that of arc a and
// micro-batch m at a · micro_batches + m. As fast as EvaluateOrder.
std::vector<MessageTimes> ReplayMessages(const StageTable& table,
                                         const WorkDag& dag, const Order& order,
                                         const Timeline& timeline);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_LINKS_H_
