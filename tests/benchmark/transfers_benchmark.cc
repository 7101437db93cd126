// Compute items per second of a fixed order: inserting transfers and proving
// them. Run with -c opt.

#include <cstdint>
#include <utility>

#include "benchmark/benchmark.h"
#include "compiler/simulator/list_scheduler.h"
#include "compiler/transfers/deadlock_proof.h"
#include "compiler/transfers/insert_transfers.h"
#include "tests/benchmark/pipeline_instance.h"

namespace octopipe {
namespace {

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t items : {4000, 40000, 400000, 4000000}) {
    benchmark->Arg(items);
  }
  benchmark->Unit(benchmark::kMillisecond);
}

struct Instance {
  StageTable table;
  Order order;
};

// One stage on each of 8 devices.
Instance OneStageEach(int64_t items) {
  Instance instance;
  instance.table = PipelineTable(8, 8, items, 2);
  instance.order = OneForwardOneBackward(instance.table);
  return instance;
}

// 64 stages on 8 devices, backward split, in the list scheduler's order.
Instance ManyStages(int64_t items) {
  Instance instance;
  instance.table = PipelineTable(64, 8, items, 3);
  if (auto order = ListSchedule(instance.table, Policy()); order.ok()) {
    instance.order = *std::move(order);
  }
  return instance;
}

void Insert(benchmark::State& state, const Instance& instance,
            const TransferOptions& options) {
  int64_t deferred = 0;
  for (auto _ : state) {
    const auto plan = InsertTransfers(instance.table, instance.order, options);
    if (!plan.ok())
      return state.SkipWithError(plan.status().ToString().c_str());
    deferred = CountDeferredSends(*plan);
    benchmark::DoNotOptimize(plan);
  }
  state.counters["deferred"] = static_cast<double>(deferred);
  state.SetItemsProcessed(state.iterations() * CountItems(instance.order));
}

void Prove(benchmark::State& state, const Instance& instance) {
  const auto plan =
      InsertTransfers(instance.table, instance.order, TransferOptions());
  if (!plan.ok()) return state.SkipWithError("insert");
  for (auto _ : state) {
    if (!ProveTransfers(instance.table, instance.order, *plan).empty()) {
      return state.SkipWithError("prove");
    }
  }
  state.SetItemsProcessed(state.iterations() * CountItems(instance.order));
}

void BM_Insert8(benchmark::State& state) {
  Insert(state, OneStageEach(state.range(0)), TransferOptions());
}
BENCHMARK(BM_Insert8)->Apply(Sizes);

void BM_Insert64On8(benchmark::State& state) {
  Insert(state, ManyStages(state.range(0)), TransferOptions());
}
BENCHMARK(BM_Insert64On8)->Apply(Sizes);

// Memory that the plan just fits with its receives.
void BM_InsertIntoMemory8(benchmark::State& state) {
  Instance instance = OneStageEach(state.range(0));
  for (Bytes& bytes : instance.table.memory_bytes) bytes = 3 << 25;
  Insert(state, instance, TransferOptions());
}
BENCHMARK(BM_InsertIntoMemory8)->Apply(Sizes);

void BM_Prove8(benchmark::State& state) {
  Prove(state, OneStageEach(state.range(0)));
}
BENCHMARK(BM_Prove8)->Apply(Sizes);

void BM_Prove64On8(benchmark::State& state) {
  Prove(state, ManyStages(state.range(0)));
}
BENCHMARK(BM_Prove64On8)->Apply(Sizes);

}  // namespace
}  // namespace octopipe

BENCHMARK_MAIN();
