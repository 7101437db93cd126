// Items per second of the list scheduler, without and with a memory limit. Run
// with -c opt.

#include <algorithm>
#include <cstdint>

#include "benchmark/benchmark.h"
#include "compiler/simulator/list_scheduler.h"
#include "tests/benchmark/pipeline_instance.h"

namespace octopipe {
namespace {

void Schedule(benchmark::State& state, const StageTable& table,
              const Policy& policy) {
  int64_t items = 0;
  for (auto _ : state) {
    const auto order = ListSchedule(table, policy);
    if (!order.ok()) return state.SkipWithError("does not fit");
    items += CountItems(*order);
  }
  state.SetItemsProcessed(items);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t items : {4000, 40000, 400000, 4000000}) {
    benchmark->Arg(items);
  }
  benchmark->Unit(benchmark::kMicrosecond);
}

// Memory for `micro_batches` whole micro-batches and a workspace.
void Limit(StageTable& table, int micro_batches) {
  table.memory_bytes.assign(table.num_devices, 200);
  for (const StageCost& stage : table.stages) {
    table.memory_bytes[stage.device] += micro_batches * stage.saved_bytes();
  }
}

void BM_WholeBackward8(benchmark::State& state) {
  Policy policy;
  policy.split = BackwardSplit::kNever;
  Schedule(state, PipelineTable(8, 8, state.range(0), 2), policy);
}
BENCHMARK(BM_WholeBackward8)->Apply(Sizes);

void BM_SplitBackward64On8(benchmark::State& state) {
  Schedule(state, PipelineTable(64, 8, state.range(0), 3), Policy());
}
BENCHMARK(BM_SplitBackward64On8)->Apply(Sizes);

void BM_WholeBackward8Limited(benchmark::State& state) {
  StageTable table = PipelineTable(8, 8, state.range(0), 2);
  Limit(table, 8);
  Policy policy;
  policy.split = BackwardSplit::kNever;
  Schedule(state, table, policy);
}
BENCHMARK(BM_WholeBackward8Limited)->Apply(Sizes);

void BM_SplitBackward64On8Limited(benchmark::State& state) {
  StageTable table = PipelineTable(64, 8, state.range(0), 3);
  Limit(table, 8);
  Schedule(state, table, Policy());
}
BENCHMARK(BM_SplitBackward64On8Limited)->Apply(Sizes);

}  // namespace
}  // namespace octopipe

BENCHMARK_MAIN();
