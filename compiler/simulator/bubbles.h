// Where the idle time of each device goes.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_BUBBLES_H_
#define OCTOPIPE_COMPILER_SIMULATOR_BUBBLES_H_

#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// Fills in the times of `devices`, one per device. A device without items is
// idle in its warm-up. O(items + arcs of the work DAG · micro-batches).
void MeasureBubbles(const StageTable& table, const Order& order,
                    const Timeline& timeline,
                    std::vector<DeviceMetrics>& devices);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_BUBBLES_H_
