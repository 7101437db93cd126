// A second way to the times of an order where ports are shared, for tests:
// everything that runs moves on by small steps of a fixed length, straight from
// the model of the work. Shares nothing with the simulator.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_FLUID_ORACLE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_FLUID_ORACLE_H_

#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

struct SteppedTimes {
  double makespan_ns = 0;
  std::vector<std::vector<double>> start_ns;
};

// `order` runs to its end. Whatever ends within a step counts until the end of
// it, so each item and message may be late by a step more than those it waits
// for, and make others on its port late by as much.
SteppedTimes SimulateInSteps(const StageTable& table, const Order& order,
                             double step_ns);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_FLUID_ORACLE_H_
