#include "compiler/simulator/jitter.h"

#include <algorithm>
#include <atomic>
#include <bitset>
#include <random>
#include <thread>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/event_simulator.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

constexpr int64_t kMillion = 1'000'000;
constexpr int kCoins = 64;
constexpr int kDeviation = 4;  // of their heads: √64 / 2

int64_t DrawFactor(int64_t jitter_ppm, std::mt19937_64& random) {
  const auto heads =
      static_cast<int64_t>(std::bitset<kCoins>(random()).count());
  return std::max<int64_t>(
      0, kMillion + jitter_ppm * (heads - kCoins / 2) / kDeviation);
}

// A standard library's seed sequence and engine give the same numbers
// everywhere; its distributions do not.
std::mt19937_64 GeneratorOf(uint64_t seed, int sample) {
  std::seed_seq sequence{static_cast<uint32_t>(seed),
                         static_cast<uint32_t>(seed >> 32),
                         static_cast<uint32_t>(sample)};
  return std::mt19937_64(sequence);
}

// One thread's samples.
class Sampler {
 public:
  Sampler(const StageTable& table, const Order& order,
          const JitterOptions& options)
      : dag_(BuildWorkDag(table)),
        micro_batches_(table.micro_batches),
        options_(options),
        simulator_(table, order) {
    size_t items = 0;
    for (const auto& program : order.programs) items += program.size();
    stretch_.items_ppm.assign(items, kMillion);
    stretch_.messages_ppm.assign(dag_.arcs.size() * micro_batches_, kMillion);
  }

  Nanos Run(int sample) {
    std::mt19937_64 random = GeneratorOf(options_.seed, sample);
    for (int64_t& factor : stretch_.items_ppm) {
      factor = DrawFactor(options_.jitter_ppm, random);
    }
    for (size_t a = 0; a < dag_.arcs.size(); ++a) {
      if (dag_.arcs[a].channel < 0) continue;
      for (int64_t m = 0; m < micro_batches_; ++m) {
        stretch_.messages_ppm[a * micro_batches_ + m] =
            DrawFactor(options_.jitter_ppm, random);
      }
    }
    return simulator_.Run(stretch_);
  }

 private:
  const WorkDag dag_;
  const int64_t micro_batches_;
  const JitterOptions& options_;
  EventSimulator simulator_;
  Stretch stretch_;
};

// The least of `sorted` that so many percent of them do not exceed.
Nanos Percentile(const std::vector<Nanos>& sorted, int percent) {
  const size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

}  // namespace

absl::StatusOr<MakespanSpread> SampleMakespans(const StageTable& table,
                                               const Order& order,
                                               const JitterOptions& options) {
  if (options.samples < 1 || options.threads < 1 || options.jitter_ppm < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected at least 1 sample and 1 thread and no negative jitter, got ",
        options.samples, " samples, ", options.threads, " threads and ",
        options.jitter_ppm, " ppm"));
  }
  MakespanSpread spread;
  OCTOPIPE_ASSIGN_OR_RETURN(const Timeline exact, EvaluateOrder(table, order));
  spread.exact_ns = exact.makespan_ns;

  std::vector<Nanos> makespans(options.samples);
  std::atomic<int> next{0};
  auto work = [&] {
    Sampler sampler(table, order, options);
    for (int i = next++; i < options.samples; i = next++) {
      makespans[i] = sampler.Run(i);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < std::min(options.threads, options.samples); ++t) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();

  std::sort(makespans.begin(), makespans.end());
  absl::uint128 sum = 0;
  for (Nanos makespan : makespans) sum += makespan;
  spread.mean_ns =
      static_cast<Nanos>((sum + options.samples / 2) / options.samples);
  spread.min_ns = makespans.front();
  spread.p50_ns = Percentile(makespans, 50);
  spread.p95_ns = Percentile(makespans, 95);
  spread.p99_ns = Percentile(makespans, 99);
  spread.max_ns = makespans.back();
  return spread;
}

}  // namespace octopipe
