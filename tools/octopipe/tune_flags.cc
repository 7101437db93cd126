#include "tools/octopipe/tune_flags.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/units.h"
#include "compiler/search/runtime_target.h"
#include "tools/octopipe/duration_flag.h"
#include "tools/octopipe/integer_flag.h"
#include "tools/octopipe/progress.h"

namespace octopipe {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void OnInterrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

constexpr char kGroup[] = "Tuning (on from the best policy)";

// Of the search that runs.
std::optional<ProgressText> progress_text;

void ShowProgress(const TunerProgress& progress) {
  std::fputs(progress_text->Next(progress).c_str(), stderr);
  std::fflush(stderr);
}

// What the search must keep.
void AddSpaceFlags(CLI::App& command, TuneFlags* flags) {
  command
      .add_option("--target", flags->target,
                  "Keep to what this runtime can hold: native, torch, "
                  "torchtitan, megatron or deepspeed")
      ->type_name("NAME")
      ->check([](const std::string& text) {
        return std::string(FindRuntimeTarget(text).status().message());
      })
      ->group(kGroup);
  command
      .add_option("--pin-stage", flags->pin_stage,
                  "Make these layers, by name or index, a stage; may be "
                  "repeated")
      ->type_name("LAYER..LAYER")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(kGroup);
  command
      .add_option("--pin-device", flags->pin_device,
                  "Run these layers there; may be repeated")
      ->type_name("LAYER[..LAYER]=DEVICE")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(kGroup);
  command
      .add_option("--no-split", flags->no_split,
                  "Keep the backwards of these layers, and of their stages, "
                  "whole")
      ->type_name("LAYER[..LAYER]")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(kGroup);
}

}  // namespace

void AddTuneFlags(CLI::App& command, TuneFlags* flags) {
  AddDuration(command, "--time-limit", &flags->time_limit_ms,
              "Search for so long: 10s, 0.5s, 500ms, 2m; seconds without a "
              "unit")
      ->group(kGroup);
  InRange(command.add_option("--evaluations", flags->evaluations,
                             "Search for so many schedules; the same seed and "
                             "number give the same plan"),
          0, kMaxTotal)
      ->group(kGroup);
  command
      .add_option("--target-gap", flags->target_gap_percent,
                  "Stop at this gap to the lower bound, in percent")
      ->check(CLI::Range(0.0, 1000.0))
      ->type_name("PERCENT")
      ->group(kGroup);
  command.add_option("--seed", flags->seed, "Seed of the search")
      ->type_name("N")
      ->group(kGroup);
  command
      .add_option("--from", flags->from,
                  "Start from the plan in this schedule file as well: the "
                  "result is no longer than it")
      ->type_name("FILE")
      ->group(kGroup);
  InRange(command.add_option(
              "--threads", flags->threads,
              "Threads; default all processors. They do not change the plan"),
          1, 1024)
      ->group(kGroup);
  auto add_switch = [&](const char* name, bool* value, const char* help) {
    command.add_flag(name, *value, help)->group(kGroup);
  };
  add_switch("--no-partition-moves", &flags->no_partition_moves,
             "Try no other cuts than the sweep's");
  add_switch("--no-placement-moves", &flags->no_placement_moves,
             "Try no other placements than the sweep's");
  add_switch("--no-order-moves", &flags->no_order_moves,
             "Try no other orders than each layout's first");
  AddSpaceFlags(command, flags);
}

absl::Status CheckTuneFlags(const CLI::App& command, const TuneFlags& flags) {
  if (IsTuned(flags)) {
    for (const char* fixed :
         {"--policy", "--stages", "--objective", "--strategy", "--map"}) {
      if (command.count(fixed) == 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(fixed, " excludes --time-limit and --evaluations"));
    }
    return absl::OkStatus();
  }
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

bool IsRestricted(const TuneFlags& flags) {
  return (!flags.target.empty() && flags.target != "native") ||
         flags.fixed_cut || !flags.pin_stage.empty() ||
         !flags.pin_device.empty() || !flags.no_split.empty();
}

TunerHooks WatchTuner(bool quiet, absl::string_view label) {
  std::signal(SIGINT, OnInterrupt);
  TunerHooks hooks;
  hooks.cancel = &interrupted;
  if (quiet) return hooks;
  progress_text.emplace(isatty(STDERR_FILENO) != 0, label);
  hooks.progress = ShowProgress;
  return hooks;
}

void EndProgress() {
  if (progress_text) std::fputs(progress_text->End().c_str(), stderr);
  progress_text.reset();
}

bool IsInterrupted() { return interrupted; }

}  // namespace octopipe
