#include "tools/octopipe/tune_flags.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/search/runtime_target.h"
#include "tools/octopipe/duration_flag.h"

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

// What the search must keep.
void AddSpaceFlags(CLI::App& command, TuneFlags* flags) {
  const char* group = "Tuning (on from the best policy)";
  command
      .add_option("--target", flags->target,
                  "Keep to what this runtime can hold: native, torch, "
                  "torchtitan, megatron or deepspeed")
      ->type_name("NAME")
      ->check([](const std::string& text) {
        return std::string(FindRuntimeTarget(text).status().message());
      })
      ->group(group);
  command
      .add_option("--pin-stage", flags->pin_stage,
                  "Make these layers, by name or index, a stage; may be "
                  "repeated")
      ->type_name("LAYER..LAYER")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--pin-device", flags->pin_device,
                  "Run these layers there; may be repeated")
      ->type_name("LAYER[..LAYER]=DEVICE")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--no-split", flags->no_split,
                  "Keep the backwards of these layers, and of their stages, "
                  "whole")
      ->type_name("LAYER[..LAYER]")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(group);
}

}  // namespace

void AddTuneFlags(CLI::App& command, TuneFlags* flags) {
  const char* group = "Tuning (on from the best policy)";
  AddDuration(command, "--time-limit", &flags->time_limit_ms,
              "Search for so long: 10s, 0.5s, 500ms, 2m; seconds without a "
              "unit")
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
      .add_option("--from", flags->from,
                  "Start from the plan in this schedule file as well: the "
                  "result is no longer than it")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--threads", flags->threads,
          "Threads; default all processors. They do not change the plan")
      ->check(CLI::Range(1, 1024))
      ->group(group);
  const std::pair<const char*, bool*> moves[] = {
      {"--no-partition-moves", &flags->no_partition_moves},
      {"--no-placement-moves", &flags->no_placement_moves},
      {"--no-order-moves", &flags->no_order_moves}};
  const char* descriptions[] = {
      "Leave stage boundaries as the sweep has them",
      "Leave stages on their devices",
      "Leave the order to the layout's list schedule"};
  for (int i = 0; i < 3; ++i) {
    command.add_flag(moves[i].first, *moves[i].second, descriptions[i])
        ->group(group);
  }
  AddSpaceFlags(command, flags);
  for (const char* fixed :
       {"--policy", "--stages", "--objective", "--strategy", "--map"}) {
    command.get_option(fixed)->excludes("--time-limit", "--evaluations");
  }
}

absl::Status CheckTuneFlags(const CLI::App& command, const TuneFlags& flags) {
  if (IsTuned(flags)) return absl::OkStatus();
  for (const char* flag :
       {"--target-gap", "--seed", "--threads", "--from", "--no-partition-moves",
        "--no-placement-moves", "--no-order-moves", "--target", "--pin-stage",
        "--pin-device", "--no-split"}) {
    if (command.count(flag) == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        flag, " steers a search; give --time-limit or --evaluations with it"));
  }
  return absl::OkStatus();
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
  options.partition = !flags.no_partition_moves;
  options.placement = !flags.no_placement_moves;
  options.order = !flags.no_order_moves;
  options.from = flags.from;
  options.target = flags.target;
  options.pinStage = {flags.pin_stage.begin(), flags.pin_stage.end()};
  options.pinDevice = {flags.pin_device.begin(), flags.pin_device.end()};
  options.noSplit = {flags.no_split.begin(), flags.no_split.end()};
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
