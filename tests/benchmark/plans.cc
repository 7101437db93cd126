// Plans of the published profiles: how short they are, against our lower bound
// and the published tuner, within a time or a number of evaluations.
//
//   bazel run -c opt //tests/benchmark:plans -- --seconds=10

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/search/tuner.h"
#include "tests/benchmark/published_cases.h"

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
  int peers = 0;
  int longer = 0;  // than the peer
  double gap = 0;
  double worst_gap = 0;
  double ratio = 0;
};

void RunCase(const Arguments& arguments, const std::string& model, int devices,
             int micro_batches, const PeerTable& peers, Totals* totals) {
  auto problem = PublishedProblem(model, devices, micro_batches);
  if (!problem.ok()) {
    std::printf("%s\n", problem.status().ToString().c_str());
    return;
  }
  LimitMemory(arguments.mode, *problem);
  TunerOptions options;
  options.time_limit_s = arguments.evaluations > 0 ? 0 : arguments.seconds;
  options.evaluations = arguments.evaluations;
  options.threads = arguments.threads;
  options.seed = arguments.seed;
  options.partition = !absl::StrContains(arguments.off, "partition");
  options.placement = !absl::StrContains(arguments.off, "placement");
  options.order = !absl::StrContains(arguments.off, "order");
  Nanos start = 0;
  double start_seconds = 0;
  options.progress = [&](const TunerProgress& progress) {
    if (start == 0) {
      start = progress.makespan_ns;
      start_seconds = progress.seconds;
    }
  };
  const auto began = std::chrono::steady_clock::now();
  const auto result = Tune(*problem, options);
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
  const auto peer = peers.find({model, devices, micro_batches});
  double ratio = 0;
  if (peer != peers.end()) {
    ratio = static_cast<double>(plan) / static_cast<double>(peer->second);
    ++totals->peers;
    totals->ratio += ratio;
    totals->longer += plan > peer->second;
  }
  std::printf(
      "%-20s %3d %3d %9.2f %9.2f %9.2f %6.2f %4d %6.1f %5.1f %8lld %5lld "
      "%9.2f %6.3f\n",
      model.c_str(), devices, micro_batches, start / 1e6, plan / 1e6,
      result->bound.ns / 1e6, gap, result->plan.partition.stages(), seconds,
      start_seconds, static_cast<long long>(result->evaluations),
      static_cast<long long>(peak),
      peer == peers.end() ? 0.0 : peer->second / 1e6, ratio);
  std::fflush(stdout);
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
                 "free: no cap; cap: as many bytes as layers; half of that")
      ->check(CLI::IsMember({"free", "cap", "half"}));
  CLI11_PARSE(app, argc, argv);
  const PeerTable peers = ReadPeer(arguments.mode != "free");
  std::printf("%-20s %3s %3s %9s %9s %9s %6s %4s %6s %5s %8s %5s %9s %6s\n",
              "model", "D", "M", "sweep ms", "plan ms", "bound ms", "gap %",
              "S", "s", "of it", "evals", "peak", "peer ms", "ratio");
  Totals totals;
  for (const std::string model : kPublishedModels) {
    if (!absl::StrContains(model, arguments.filter)) continue;
    for (int devices : arguments.devices) {
      for (int factor : {2, 4}) {
        RunCase(arguments, model, devices, factor * devices, peers, &totals);
      }
    }
  }
  std::printf(
      "%d cases: mean gap %.2f %%, worst %.2f %%; of %d with a peer mean ratio "
      "%.4f, %d longer\n",
      totals.cases, totals.gap / std::max(1, totals.cases), totals.worst_gap,
      totals.peers, totals.ratio / std::max(1, totals.peers), totals.longer);
  return 0;
}

}  // namespace
}  // namespace octopipe

int main(int argc, char** argv) { return octopipe::Main(argc, argv); }
