// The search over partition, placement and order with all micro-batches of a
// problem; see tuner.h.

#ifndef OCTOPIPE_COMPILER_SEARCH_DIRECT_TUNER_H_
#define OCTOPIPE_COMPILER_SEARCH_DIRECT_TUNER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/tuner_island.h"
#include "compiler/search/tuner_options.h"
#include "compiler/search/tuner_result.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

class DirectTuner {
 public:
  // `problem` and `options` are valid and outlive the tuner. Plans are compared
  // as if the busiest device went on for `further_micro_batches` more, and the
  // bound and the progress are those of all.
  DirectTuner(const Problem& problem, const TunerOptions& options,
              int64_t further_micro_batches = 0);

  // Once.
  absl::StatusOr<TunerResult> Run();

  // After Run: the best plan, last, and those of other layouts that were the
  // best last before it.
  const std::vector<Plan>& finalists() const { return finalists_; }
  // The policy and the layout of the sweep's plan; "" if there is none.
  const std::string& sweep_policy() const { return sweep_policy_; }
  const Plan& sweep_layout() const { return sweep_layout_; }

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Start();
  void SearchAllOfSmall();
  void AddBalancedStarts(const std::function<bool()>& cancel);
  void Offer(Plan plan, Nanos makespan);
  void KeepFinalist();
  // False if it was interrupted; then it does not count.
  bool RunRound(int64_t evaluations);
  std::optional<TunerStop> StopNow() const;
  bool IsInterrupted() const;
  void Report() const;
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  const Problem& problem_;
  const TunerOptions& options_;
  const int64_t further_micro_batches_;
  const int64_t items_;  // with as many stages as layers
  const Clock::time_point began_;
  TunerResult result_;
  std::vector<TunerState> starts_;
  std::vector<std::unique_ptr<TunerIsland>> islands_;
  TunedPlan best_;  // its makespan with the further micro-batches
  std::vector<Plan> finalists_;
  std::string sweep_policy_;
  Plan sweep_layout_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_DIRECT_TUNER_H_
