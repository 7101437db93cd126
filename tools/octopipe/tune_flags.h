// The flags of `octopipe plan` that search on from the best policy, and what a
// person at a terminal sees meanwhile.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_TUNE_FLAGS_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_TUNE_FLAGS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/passes/passes.h"

namespace octopipe {

struct TuneFlags {
  int64_t evaluations = 0;
  int64_t time_limit_ms = 0;
  double target_gap_percent = 0;
  uint64_t seed = 0;
  int threads = 0;
  bool no_partition_moves = false;
  bool no_placement_moves = false;
  bool no_order_moves = false;
  std::string from;  // schedule file
  std::string target;
  bool fixed_cut = false;  // --boundaries
  std::vector<std::string> pin_stage;
  std::vector<std::string> pin_device;
  std::vector<std::string> no_split;
};

// Planning tunes when evaluations or a time limit are given.
void AddTuneFlags(CLI::App& command, TuneFlags* flags);

bool IsTuned(const TuneFlags& flags);

// InvalidArgument names a flag that steers a search where there is none, or one
// that fixes a part of the sweep where there is one.
absl::Status CheckTuneFlags(const CLI::App& command, const TuneFlags& flags);

TunePassOptions TuneOptionsOf(const TuneFlags& flags);

// Whether the search is kept to a part of all plans.
bool IsRestricted(const TuneFlags& flags);

// From now on an interrupt (Ctrl-C) ends the search with the best plan so far,
// a second one the program. Progress goes to standard error, each line after
// `label`, unless `quiet` is set; see progress.h.
TunerHooks WatchTuner(bool quiet, absl::string_view label = "");

// Ends the line of progress. To be called after a search.
void EndProgress();

bool IsInterrupted();

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_TUNE_FLAGS_H_
