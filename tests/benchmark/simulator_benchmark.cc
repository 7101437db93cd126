// Items per second of a fixed order: whole evaluations, edits with undo, and
// full metrics. Run with -c opt.

#include <algorithm>
#include <cstdint>
#include <random>

#include "benchmark/benchmark.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/list_scheduler.h"
#include "compiler/simulator/order_evaluator.h"
#include "tests/benchmark/pipeline_instance.h"

namespace octopipe {
namespace {

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t items : {4000, 40000, 400000, 4000000}) {
    benchmark->Arg(items);
  }
  benchmark->Unit(benchmark::kMicrosecond);
}

// One stage on each of 8 devices.
void BM_OneForwardOneBackward8(benchmark::State& state) {
  const StageTable table = PipelineTable(8, 8, state.range(0), 2);
  const Order order = OneForwardOneBackward(table);
  OrderEvaluator evaluator(table);
  if (!evaluator.SetOrder(order).ok()) return state.SkipWithError("order");
  for (auto _ : state) {
    evaluator.SetStageCosts(0, table.stages[0]);  // rewinds to time 0
    benchmark::DoNotOptimize(evaluator.Makespan());
  }
  state.SetItemsProcessed(state.iterations() * CountItems(order));
}
BENCHMARK(BM_OneForwardOneBackward8)->Apply(Sizes);

// 64 stages on 8 devices, backward split, in the list scheduler's order.
void BM_SplitBackward64On8(benchmark::State& state) {
  const StageTable table = PipelineTable(64, 8, state.range(0), 3);
  const auto order = ListSchedule(table, Policy());
  OrderEvaluator evaluator(table);
  if (!order.ok() || !evaluator.SetOrder(*order).ok()) {
    return state.SkipWithError("order");
  }
  for (auto _ : state) {
    evaluator.SetStageCosts(0, table.stages[0]);
    benchmark::DoNotOptimize(evaluator.Makespan());
  }
  state.SetItemsProcessed(state.iterations() * CountItems(*order));
}
BENCHMARK(BM_SplitBackward64On8)->Apply(Sizes);

// What a local search does: swap two neighbours anywhere, evaluate with the
// best so far as limit, undo. Items are those of a whole evaluation.
void BM_SwapAndUndo8(benchmark::State& state) {
  const StageTable table = PipelineTable(8, 8, state.range(0), 2);
  const Order order = OneForwardOneBackward(table);
  OrderEvaluator evaluator(table);
  if (!evaluator.SetOrder(order).ok()) return state.SkipWithError("order");
  const Nanos best = evaluator.Makespan();
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const int device = static_cast<int>(random() % 8);
    const int position =
        static_cast<int>(random() % (order.programs[device].size() - 1));
    evaluator.SwapItems(device, position, position + 1);
    benchmark::DoNotOptimize(evaluator.MakespanIfBelow(best));
    evaluator.SwapItems(device, position, position + 1);
  }
  state.SetItemsProcessed(state.iterations() * CountItems(order));
}
BENCHMARK(BM_SwapAndUndo8)->Apply(Sizes);

// From an order to all metrics.
void BM_EvaluatePlan8(benchmark::State& state) {
  const StageTable table = PipelineTable(8, 8, state.range(0), 2);
  const Order order = OneForwardOneBackward(table);
  for (auto _ : state) benchmark::DoNotOptimize(EvaluatePlan(table, order));
  state.SetItemsProcessed(state.iterations() * CountItems(order));
}
BENCHMARK(BM_EvaluatePlan8)->Apply(Sizes);

}  // namespace
}  // namespace octopipe

BENCHMARK_MAIN();
