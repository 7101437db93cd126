#ifndef OCTOPIPE_COMPILER_SEARCH_RANDOM_LAYOUT_H_
#define OCTOPIPE_COMPILER_SEARCH_RANDOM_LAYOUT_H_

#include <random>
#include <vector>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// A random problem with a layout, and keys at random; for tests.
struct RandomLayout {
  Problem problem;
  Partition partition;
  Placement placement;
  StageTable table;
  // Per stage, whether its backward is split.
  std::vector<uint8_t> split;
  // By task and micro-batch, as `KeyScheduler` takes them.
  std::vector<int64_t> keys;
};

RandomLayout MakeRandomLayout(uint32_t seed, std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_RANDOM_LAYOUT_H_
