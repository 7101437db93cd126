#include "tools/octopipe/tune_flags.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>

#include "compiler/bounds/best_bound.h"

namespace octopipe {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void OnInterrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

void ShowProgress(const TunerProgress& progress) {
  std::fprintf(
      stderr, "\r%.3f ms, bound %.3f ms, gap %.2f %%, %.0f evaluations/s ",
      static_cast<double>(progress.makespan_ns) / 1e6,
      static_cast<double>(progress.bound_ns) / 1e6,
      static_cast<double>(GapPpm(progress.makespan_ns, progress.bound_ns)) /
          1e4,
      static_cast<double>(progress.evaluations) /
          std::max(progress.seconds, 1e-3));
  std::fflush(stderr);
}

}  // namespace

void AddTuneFlags(CLI::App& command, TuneFlags* flags) {
  const char* group = "Tuning (on from the best policy)";
  command
      .add_option("--time-limit", flags->time_limit_ms,
                  "Search for so long: 500ms, 10s, 2m")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, int64_t>{{"ms", 1}, {"s", 1000}, {"m", 60000}}))
      ->group(group);
  command
      .add_option("--evaluations", flags->evaluations,
                  "Search for so many schedules; the same seed and number give "
                  "the same plan")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command
      .add_option("--target-gap", flags->target_gap_percent,
                  "Stop at this gap to the lower bound, in percent")
      ->check(CLI::Range(0.0, 1000.0))
      ->group(group);
  command.add_option("--seed", flags->seed, "Seed of the search")->group(group);
  command
      .add_option(
          "--threads", flags->threads,
          "Threads; default all processors. They do not change the plan")
      ->check(CLI::Range(1, 1024))
      ->group(group);
  for (const char* fixed : {"--policy", "--stages", "--objective",
                            "--boundaries", "--strategy", "--map"}) {
    command.get_option(fixed)->excludes("--time-limit", "--evaluations");
  }
}

bool IsTuned(const TuneFlags& flags) {
  return flags.evaluations > 0 || flags.time_limit_ms > 0;
}

TunePassOptions TuneOptionsOf(const TuneFlags& flags) {
  TunePassOptions options;
  options.evaluations = flags.evaluations;
  options.timeLimitMs = flags.time_limit_ms;
  options.targetGapPpm = static_cast<int64_t>(flags.target_gap_percent * 1e4);
  options.seed = flags.seed;
  options.threads = flags.threads;
  return options;
}

TunerHooks WatchTuner(bool quiet) {
  std::signal(SIGINT, OnInterrupt);
  TunerHooks hooks;
  hooks.cancel = &interrupted;
  if (!quiet && isatty(STDERR_FILENO)) hooks.progress = ShowProgress;
  return hooks;
}

}  // namespace octopipe
