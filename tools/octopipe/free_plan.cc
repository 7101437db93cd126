#include "tools/octopipe/free_plan.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/base/quantity_text.h"
#include "compiler/search/tuner.h"

namespace octopipe {

std::optional<std::string> CostOfRestriction(const Artifact& artifact,
                                             const TuneFlags& flags,
                                             bool split_backward) {
  if (!IsRestricted(flags)) return std::nullopt;
  if (IsInterrupted()) return "not compared with a free plan: interrupted";
  TunerOptions options;
  options.evaluations = flags.evaluations;
  options.time_limit_s = static_cast<double>(flags.time_limit_ms) / 1000;
  options.target_gap_ppm = static_cast<int64_t>(flags.target_gap_percent * 1e4);
  options.seed = flags.seed;
  options.threads = flags.threads != 0
                        ? flags.threads
                        : std::max(1u, std::thread::hardware_concurrency());
  options.partition = !flags.no_partition_moves;
  options.placement = !flags.no_placement_moves;
  options.order = !flags.no_order_moves;
  options.split_backward = split_backward;
  TunerHooks hooks = WatchTuner(false, "free plan, for comparison: ");
  options.cancel = hooks.cancel;
  options.progress = hooks.progress;
  const absl::StatusOr<TunerResult> free = Tune(artifact.problem, options);
  EndProgress();
  if (!free.ok()) {
    return absl::StrCat("not compared, there is no free plan: ",
                        free.status().message());
  }
  if (free->stop == TunerStop::kCancelled) {
    return "not compared with a free plan: interrupted";
  }
  const Nanos makespan = artifact.metrics.makespan_ns;
  const Nanos free_makespan = free->metrics.makespan_ns;
  if (free_makespan >= makespan) {
    return "nothing: a free plan of the same budget is no shorter";
  }
  return absl::StrFormat("%.2f %% over a free plan of the same budget (%s)",
                         100.0 * static_cast<double>(makespan - free_makespan) /
                             static_cast<double>(free_makespan),
                         NanosText(free_makespan));
}

}  // namespace octopipe
