// How planning grows with micro-batches, stages and devices.
//
//   bazel run -c opt //tests/benchmark:scale

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/search/tuner.h"
#include "tests/benchmark/plan_cases.h"

namespace octopipe {
namespace {

struct Arguments {
  int64_t evaluations = 20000;
  double seconds = 60;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::string part;
};

// A chain of layers of three kinds, each with some of its own, and a long head.
// Each keeps one byte a micro-batch.
Problem Heterogeneous(int layers, int devices, int micro_batches) {
  Problem problem;
  for (int i = 0; i < layers; ++i) {
    Layer layer;
    layer.name = absl::StrCat("layer.", i);
    const Nanos f = 1'000'000 + 70'000 * (i * 7 % 13) + (i % 4) * 250'000;
    layer.cost.times = {f, f * 11 / 10, f * (5 + i % 4) / 10};
    layer.cost.memory.saved_w_bytes = 1;
    if (i > 0) layer.inputs = {i - 1};
    problem.layers.push_back(layer);
  }
  LayerTimes& head = problem.layers.back().cost.times;
  head = {head.f_ns * 2, head.b_ns * 2, head.w_ns * 2};
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "any"});
  }
  problem.micro_batches = micro_batches;
  return problem;
}

void RunCase(const std::string& name, const Problem& problem,
             TunerOptions options) {
  double sweep_seconds = 0;
  options.progress = [&](const TunerProgress& progress) {
    if (sweep_seconds == 0) sweep_seconds = progress.seconds;
  };
  const auto began = std::chrono::steady_clock::now();
  const auto result = Tune(problem, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
          .count();
  std::printf("%-20s %4zu %4zu %5lld", name.c_str(), problem.layers.size(),
              problem.devices.size(),
              static_cast<long long>(problem.micro_batches));
  if (result.ok()) {
    std::printf(" %4d %7.1f %7.1f %7.2f %8lld %7.0f\n",
                result->plan.partition.stages(), seconds, sweep_seconds,
                GapPpm(result->metrics.makespan_ns, result->bound.ns) / 1e4,
                static_cast<long long>(result->evaluations), PeakResidentMiB());
  } else {
    std::printf(" %7.1f s: %s\n", seconds, result.status().ToString().c_str());
  }
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Planning time and gaps of large problems");
  app.add_option("--evaluations", arguments.evaluations,
                 "Evaluations of each number of micro-batches");
  app.add_option("--seconds", arguments.seconds,
                 "Time limit of each large problem");
  app.add_option("--threads", arguments.threads, "Threads");
  app.add_option("--part", arguments.part,
                 "Only this part: micro-batches or devices");
  CLI11_PARSE(app, argc, argv);
  std::printf("%-20s %4s %4s %5s %4s %7s %7s %7s %8s %7s\n", "model", "L", "D",
              "M", "S", "s", "sweep s", "gap %", "evals", "MiB");
  TunerOptions options;
  options.threads = arguments.threads;
  if (arguments.part != "devices") {
    options.evaluations = arguments.evaluations;
    const std::string model = "nemotron-nano-v2-9B";
    for (int micro_batches = 32; micro_batches <= 4096; micro_batches *= 2) {
      const auto problem = ProfileProblem(model, 8, micro_batches);
      if (!problem.ok()) {
        std::printf("%s\n", problem.status().ToString().c_str());
        break;
      }
      RunCase(model, *problem, options);
    }
  }
  if (arguments.part != "micro-batches") {
    options.evaluations = 0;
    options.time_limit_s = arguments.seconds;
    RunCase("heterogeneous", Heterogeneous(256, 64, 512), options);
    RunCase("heterogeneous", Heterogeneous(2048, 1024, 1024), options);
  }
  return 0;
}

}  // namespace
}  // namespace octopipe

int main(int argc, char** argv) { return octopipe::Main(argc, argv); }
