// Random problems and orders for property tests. The same seed gives the same
// instance.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_RANDOM_INSTANCE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_RANDOM_INSTANCE_H_

#include <cstdint>
#include <random>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// At least 0 and below `bound`.
inline int64_t Below(std::mt19937_64& random, int64_t bound) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
}

struct InstanceShape {
  int max_stages = 6;
  int max_devices = 4;
  int max_micro_batches = 5;
  bool chain = false;
  // Links share ports at random, and all times and sizes are so many times as
  // large.
  bool ports = false;
  int scale = 1;
};

// Stages on any devices; unless `chain`, branches, skips, several sources and
// sinks and edges without a gradient; some pairs of devices linked; some costs
// zero.
StageTable RandomTable(const InstanceShape& shape, std::mt19937_64& random);

// An order that runs to its end: the items in a random order that keeps the
// data flow. Backward is split or whole at random for each stage and
// micro-batch.
Order RandomOrder(const StageTable& table, std::mt19937_64& random);

// All items of `table`, with backward split, in a random order: mostly one in
// which a device waits for ever.
Order ShuffledOrder(const StageTable& table, std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_RANDOM_INSTANCE_H_
