// The memory of a device over time.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_MEMORY_TIMELINE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_MEMORY_TIMELINE_H_

#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// What an item does to its device's memory: `rise` at its start, of which
// `kept` stays when it ends. `kept` is negative where it frees.
struct MemoryEffect {
  Bytes rise = 0;
  Bytes kept = 0;
};
// `kind` is a compute kind.
MemoryEffect MemoryEffectOf(const StageCost& stage, WorkKind kind);

struct MemoryPeak {
  Bytes bytes = 0;  // static included
  int item = -1;    // the first at whose start it is reached; -1 without items
};

// Depends on the order alone, since a device runs one item at a time. `order`
// holds compute items of `table` only. O(items).
MemoryPeak PeakMemory(const StageTable& table, const Order& order, int device);

// From `time_ns` on, until the next point, the device holds `bytes`.
struct MemoryPoint {
  Nanos time_ns = 0;
  Bytes bytes = 0;  // static included
};

// The curve of a device, as a step function: starts at time 0 with the static
// bytes. Where it changes more than once at one time there is one point a
// change, in the order of the changes.
std::vector<MemoryPoint> MemoryCurve(const StageTable& table,
                                     const Order& order,
                                     const Timeline& timeline, int device);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_MEMORY_TIMELINE_H_
