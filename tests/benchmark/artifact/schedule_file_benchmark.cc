// Writing and loading a schedule file, by the number of work items. The cluster
// is of 512 devices with all 261,632 links, 2 items a device at the least.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "benchmark/benchmark.h"
#include "compiler/artifact/schedule_proto.h"
#include "compiler/import/cluster_file.h"

namespace octopipe {
namespace {

constexpr int kNodes = 64;

// 1F1B's items in a plain order: only their number matters here.
Artifact MakeArtifact(int64_t items) {
  Artifact artifact;
  auto cluster = CatalogueCluster("8xh100", kNodes);
  if (!cluster.ok()) std::abort();
  Problem& problem = artifact.problem;
  problem.devices = cluster->devices;
  problem.links = cluster->links;
  const int stages = static_cast<int>(problem.devices.size());
  problem.micro_batches = items / (3 * stages) + 1;
  problem.layers.resize(stages);
  artifact.plan.order.programs.resize(stages);
  artifact.timeline.start_ns.resize(stages);
  artifact.metrics.devices.resize(stages);
  for (int s = 0; s < stages; ++s) {
    Layer& layer = problem.layers[s];
    layer.name = "block." + std::to_string(s);
    layer.cost.kind = "block";
    layer.cost.times = {1'000'000, 1'100'000, 900'000};
    if (s > 0) layer.inputs = {s - 1};
    artifact.plan.partition.begin.push_back(s + 1);
    artifact.plan.placement.device.push_back(s);
    Nanos now = 1'010'000 * s;
    for (int m = 0; m < problem.micro_batches; ++m) {
      for (const WorkItem& item :
           {Forward(s, m), InputGradient(s, m), WeightGradient(s, m)}) {
        artifact.plan.order.programs[s].push_back(item);
        artifact.timeline.start_ns[s].push_back(now);
        now += 1'000'000 + 7919 * (m % 13);
      }
    }
  }
  return artifact;
}

int64_t CountItems(const Artifact& artifact) {
  int64_t items = 0;
  for (const auto& program : artifact.plan.order.programs) {
    items += static_cast<int64_t>(program.size());
  }
  return items;
}

void BM_Encode(benchmark::State& state) {
  const Artifact artifact = MakeArtifact(state.range(0));
  std::string bytes;
  for (auto _ : state) {
    bytes = EncodeSchedule(artifact, /*text=*/false).value();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations() * CountItems(artifact));
  state.counters["file_bytes"] = static_cast<double>(bytes.size());
}

void BM_Decode(benchmark::State& state) {
  const Artifact artifact = MakeArtifact(state.range(0));
  const std::string bytes = EncodeSchedule(artifact, state.range(1)).value();
  for (auto _ : state) {
    auto read = DecodeSchedule(bytes);
    if (!read.ok()) state.SkipWithError("schedule does not load");
    benchmark::DoNotOptimize(read);
  }
  state.SetItemsProcessed(state.iterations() * CountItems(artifact));
  state.counters["file_bytes"] = static_cast<double>(bytes.size());
}

BENCHMARK(BM_Encode)->Arg(1000)->Arg(400000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Decode)
    ->ArgNames({"items", "text"})
    ->Args({1000, 0})
    ->Args({400000, 0})
    ->Args({400000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace octopipe

BENCHMARK_MAIN();
