#include "compiler/search/true_makespan.h"

#include "compiler/simulator/event_simulator.h"

namespace octopipe {

Nanos TrueMakespan(const StageTable& table, const Order& order,
                   Nanos unshared_ns) {
  if (!table.HasContention()) return unshared_ns;
  return EventSimulator(table, order).Run();
}

}  // namespace octopipe
