// A second way to the times of an order, for tests: the longest path in a DAG
// that has a node for each item and each message, written straight from the
// model of the work. Shares nothing with the simulator.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_LONGEST_PATH_ORACLE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_LONGEST_PATH_ORACLE_H_

#include <optional>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// Nullopt if the graph has a cycle. Every item that another one needs is in
// `order`.
std::optional<Timeline> LongestPath(const StageTable& table,
                                    const Order& order);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_LONGEST_PATH_ORACLE_H_
