// Plans of the published profiles: how short they are, against our lower bound
// and the published tuner or the best named policy, within a time or a number
// of evaluations.
//
//   bazel run -c opt //tests/benchmark:plans -- --seconds=10 --mode=hop

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "compiler/search/tuner.h"
#include "tests/benchmark/plan_cases.h"

namespace octopipe {
namespace {

struct Arguments {
  double seconds = 10;
  int64_t evaluations = 0;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  uint64_t seed = 0;
  std::string filter;
  std::string mode = "free";
  std::vector<int> devices = {4, 8, 16};
  std::string off;  // kinds of move, by comma
};

// Sums over the cases of a table.
struct Totals {
  int cases = 0;
  int references = 0;
  int longer = 0;  // than the reference
  double gap = 0;
  double worst_gap = 0;
  double ratio = 0;
};

TunerOptions OptionsOf(const Arguments& arguments) {
  TunerOptions options;
  options.time_limit_s = arguments.evaluations > 0 ? 0 : arguments.seconds;
  options.evaluations = arguments.evaluations;
  options.threads = arguments.threads;
  options.seed = arguments.seed;
  options.partition = !absl::StrContains(arguments.off, "partition");
  options.placement = !absl::StrContains(arguments.off, "placement");
  options.order = !absl::StrContains(arguments.off, "order");
  return options;
}

void RunCase(const Arguments& arguments, const std::string& model,
             const Problem& problem, const Reference& reference,
             Totals* totals) {
  const int devices = static_cast<int>(problem.devices.size());
  const int micro_batches = static_cast<int>(problem.micro_batches);
  TunerOptions options = OptionsOf(arguments);
  Nanos start = 0;
  double start_seconds = 0;
  options.progress = [&](const TunerProgress& progress) {
    if (start == 0) {
      start = progress.makespan_ns;
      start_seconds = progress.seconds;
    }
  };
  const auto began = std::chrono::steady_clock::now();
  const auto result = Tune(problem, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
          .count();
  if (!result.ok()) {
    std::printf("%-20s %3d %3d  %s\n", model.c_str(), devices, micro_batches,
                result.status().ToString().c_str());
    return;
  }
  Bytes peak = 0;
  for (const DeviceMetrics& device : result->metrics.devices) {
    peak = std::max(peak, device.peak_bytes);
  }
  const Nanos plan = result->metrics.makespan_ns;
  const double gap = GapPpm(plan, result->bound.ns) / 1e4;
  ++totals->cases;
  totals->gap += gap;
  totals->worst_gap = std::max(totals->worst_gap, gap);
  double ratio = 0;
  if (reference.makespan_ns != 0) {
    ratio =
        static_cast<double>(plan) / static_cast<double>(reference.makespan_ns);
    ++totals->references;
    totals->ratio += ratio;
    totals->longer += plan > reference.makespan_ns;
  }
  std::printf(
      "%-20s %3d %3d %9.2f %9.2f %9.2f %6.2f %4d %6.1f %5.1f %8lld %5lld "
      "%9.2f %6.3f  %s\n",
      model.c_str(), devices, micro_batches, start / 1e6, plan / 1e6,
      result->bound.ns / 1e6, gap, result->plan.partition.stages(), seconds,
      start_seconds, static_cast<long long>(result->evaluations),
      static_cast<long long>(peak), reference.makespan_ns / 1e6, ratio,
      reference.name.c_str());
  if (reference.makespan_ns == 0) {
    for (const std::string& refusal : reference.refusals) {
      std::printf("    %s\n", refusal.c_str());
    }
  }
  std::fflush(stdout);
}

void RunTable(const Arguments& arguments) {
  const bool against_peer = arguments.mode == "free" || arguments.mode == "cap";
  const PeerTable peers = ReadPeer(arguments.mode == "cap");
  std::printf("%-20s %3s %3s %9s %9s %9s %6s %4s %6s %5s %8s %5s %9s %6s\n",
              "model", "D", "M", "sweep ms", "plan ms", "bound ms", "gap %",
              "S", "s", "of it", "evals", "peak",
              against_peer ? "peer ms" : "named ms", "ratio");
  Totals totals;
  for (const std::string model : BenchmarkModels()) {
    if (!absl::StrContains(model, arguments.filter)) continue;
    for (int devices : arguments.devices) {
      for (int factor : {2, 4}) {
        auto problem = ProfileProblem(model, devices, factor * devices);
        if (!problem.ok()) {
          std::printf("%s\n", problem.status().ToString().c_str());
          continue;
        }
        SetMode(arguments.mode, &*problem);
        Reference reference;
        if (!against_peer) {
          reference = BestNamedPolicy(*problem);
        } else if (const auto peer =
                       peers.find({model, devices, factor * devices});
                   peer != peers.end()) {
          reference.makespan_ns = peer->second;
        }
        RunCase(arguments, model, *problem, reference, &totals);
      }
    }
  }
  std::printf(
      "%d cases: mean gap %.2f %%, worst %.2f %%; of %d with a reference mean "
      "ratio %.4f, %d longer\n",
      totals.cases, totals.gap / std::max(1, totals.cases), totals.worst_gap,
      totals.references, totals.ratio / std::max(1, totals.references),
      totals.longer);
}

// What each kind of move gives alone and together with the others: the gap to
// the bound in percent.
void RunAblation(const Arguments& arguments) {
  struct Kinds {
    const char* name;
    bool partition, placement, order;
  };
  constexpr Kinds kKinds[] = {
      {"none", false, false, false},      {"cut", true, false, false},
      {"place", false, true, false},      {"order", false, false, true},
      {"cut+place", true, true, false},   {"cut+order", true, false, true},
      {"place+order", false, true, true}, {"all", true, true, true},
  };
  constexpr const char* kCases[] = {"llama3-70B", "nemotron-h-47B", "jamba-52B",
                                    "nemotron-nano-v2-9B"};
  std::printf("gap %%: %-14s %3s %3s", "model", "D", "M");
  for (const Kinds& kinds : kKinds) std::printf(" %11s", kinds.name);
  std::printf("\n");
  for (const std::string model : kCases) {
    if (!absl::StrContains(model, arguments.filter)) continue;
    for (int devices : arguments.devices) {
      const auto problem = ProfileProblem(model, devices, 2 * devices);
      if (!problem.ok()) {
        std::printf("%s\n", problem.status().ToString().c_str());
        continue;
      }
      std::printf("%-21s %3d %3d", model.c_str(), devices, 2 * devices);
      for (const Kinds& kinds : kKinds) {
        TunerOptions options = OptionsOf(arguments);
        options.partition = kinds.partition;
        options.placement = kinds.placement;
        options.order = kinds.order;
        const auto result = Tune(*problem, options);
        if (!result.ok()) {
          std::printf(" %11s", "-");
          continue;
        }
        std::printf(
            " %11.2f",
            GapPpm(result->metrics.makespan_ns, result->bound.ns) / 1e4);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Plans of the published profiles");
  app.add_option("--seconds", arguments.seconds, "Time limit of a case");
  app.add_option("--evaluations", arguments.evaluations,
                 "Evaluations of a case, instead of a time");
  app.add_option("--threads", arguments.threads, "Threads");
  app.add_option("--seed", arguments.seed, "Seed");
  app.add_option("--filter", arguments.filter, "Part of the model's name");
  app.add_option("--devices", arguments.devices, "Numbers of devices")
      ->delimiter(',');
  app.add_option("--off", arguments.off,
                 "Kinds of move that are not tried, by comma");
  app.add_option("--mode", arguments.mode,
                 "free: no cap; cap: as many bytes as layers; half of that; "
                 "hop: 0.3 ms between devices; nodes: of 8 devices, slow links "
                 "between them; unequal: half of the devices slow and small; "
                 "ablation: each kind of move alone, in pairs, all")
      ->check(CLI::IsMember(
          {"free", "cap", "half", "hop", "nodes", "unequal", "ablation"}));
  CLI11_PARSE(app, argc, argv);
  if (arguments.mode == "ablation") {
    RunAblation(arguments);
  } else {
    RunTable(arguments);
  }
  std::printf("peak resident memory %.0f MiB\n", PeakResidentMiB());
  return 0;
}

}  // namespace
}  // namespace octopipe

int main(int argc, char** argv) { return octopipe::Main(argc, argv); }
