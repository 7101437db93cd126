// The search's schedulers take channels for unshared: what they call a makespan
// is the least that the order can take where ports are shared, and exact
// elsewhere. That is enough to refuse an order. Before one is kept, this says
// what it takes.

#ifndef OCTOPIPE_COMPILER_SEARCH_TRUE_MAKESPAN_H_
#define OCTOPIPE_COMPILER_SEARCH_TRUE_MAKESPAN_H_

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// The makespan of EvaluateOrder, if `order` takes `unshared_ns` by a scheduler
// that knows of no sharing; that itself, in no time, where nothing is shared.
// `order` runs to its end.
Nanos TrueMakespan(const StageTable& table, const Order& order,
                   Nanos unshared_ns);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TRUE_MAKESPAN_H_
