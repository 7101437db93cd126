// Why the makespan is what it is.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_CRITICAL_PATH_H_
#define OCTOPIPE_COMPILER_SIMULATOR_CRITICAL_PATH_H_

#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// A longest path of `timeline`, from an item that starts at time 0 to one that
// ends at the makespan. Each item starts when its predecessor on the path has
// ended (kDevice: the item before it on its device; kData: a producer) or when
// transfers that followed the predecessor's end have arrived (kTransfer; where
// messages queued, the predecessor is the one that sent the first of them; that
// others had a part of the port is not shown).
// Where several causes hold, the first named here; of several devices that end
// last, the first. O(items + arcs of the work DAG · micro-batches).
std::vector<CriticalItem> CriticalPath(const StageTable& table,
                                       const Order& order,
                                       const Timeline& timeline);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_CRITICAL_PATH_H_
