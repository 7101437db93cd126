// The pipelines that the benchmarks run.

#ifndef OCTOPIPE_TESTS_BENCHMARK_PIPELINE_INSTANCE_H_
#define OCTOPIPE_TESTS_BENCHMARK_PIPELINE_INSTANCE_H_

#include <cstdint>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// A chain of stages with uneven costs, stage s on device s mod `devices`, links
// both ways between all neighbours, and as many micro-batches as make about
// `items` items where each stage and micro-batch has `kinds` of them.
StageTable PipelineTable(int stages, int devices, int64_t items, int kinds);

// One forward, one backward by turns, for one stage a device: whole backwards.
Order OneForwardOneBackward(const StageTable& table);

int64_t CountItems(const Order& order);

}  // namespace octopipe

#endif  // OCTOPIPE_TESTS_BENCHMARK_PIPELINE_INSTANCE_H_
