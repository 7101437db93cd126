// Every order of a tiny plan, with its times, by depth-first construction
// straight from the model of the work. Shares nothing with the simulator, the
// schedulers or the bounds.

#ifndef OCTOPIPE_TESTS_ORACLES_ORDER_ENUMERATOR_H_
#define OCTOPIPE_TESTS_ORACLES_ORDER_ENUMERATOR_H_

#include <functional>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// At most this many stages, devices, micro-batches and channels.
inline constexpr int kMostEnumerated = 4;

// Calls `visit` with every order that runs to its end, within the memory of the
// devices, and its times. An order
// can come more than once: for items of different devices that start together.
// Backward is split or whole in every way that `table` allows. Stops early if
// `visit` returns false.
void ForEachOrder(
    const StageTable& table,
    const std::function<bool(const Order&, const Timeline&)>& visit);

// The least makespan of any order if it is below `limit`, else `limit`.
// Micro-batches are alike, so only orders that begin them in turn count; and a
// device that has more work left than time before the best order so far is not
// followed further.
Nanos LeastMakespan(const StageTable& table, Nanos limit);

}  // namespace octopipe

#endif  // OCTOPIPE_TESTS_ORACLES_ORDER_ENUMERATOR_H_
