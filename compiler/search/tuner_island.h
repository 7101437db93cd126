// One of the tuner's independent searches.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_ISLAND_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_ISLAND_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/gap_scheduler.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/layout_loads.h"
#include "compiler/search/move_selector.h"
#include "compiler/search/order_moves.h"
#include "compiler/search/tuner_options.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

// A plan with its makespan and the state that list scheduling makes it from.
struct TunedPlan {
  Nanos makespan_ns = KeyScheduler::kNever;
  TunerState state;
  Plan plan;
};

// Threshold accepting with restarts, in pieces. What it does depends on its
// arguments alone.
class TunerIsland {
 public:
  // `problem` and `options` are valid and outlive the island. `starts` is where
  // it starts anew from time to time; not empty.
  TunerIsland(const Problem& problem, const TunerOptions& options,
              const std::vector<TunerState>& starts, uint64_t seed);

  // Searches on for that many evaluations or a few more. Returns early, with an
  // island that is of no more use, when `interrupted` says so.
  void Search(int64_t evaluations, const std::function<bool()>& interrupted);

  // What the other islands have found, to start anew from.
  void SetElite(const TunedPlan& elite);

  // The best of this island since the elite was set that is shorter than it;
  // its makespan is kNever if there is none.
  const TunedPlan& best() const { return best_; }
  const std::vector<TunerStep>& steps() const { return steps_; }
  int64_t evaluations() const { return evaluations_; }

 private:
  // Makes the scheduler ready for the layout of `state`, and its backwards
  // whole where they must be. False if the layout does not fit.
  bool SetLayout(TunerState* state);
  // List schedules `state`. The makespan if it is below `limit`.
  std::optional<Nanos> Evaluate(TunerState* state, Nanos limit);
  // List schedules trial_, whose layout the scheduler has, by the order of
  // `starts` after justification: first from the end back, each item as late as
  // it can be and the latest first, then from the start again by what that
  // gives (Valls, Ballestin, Quintanilla 2005). Leaves that order as its keys.
  std::optional<Nanos> Justify(absl::Span<const Nanos> starts, Nanos limit);
  void OpenWindows(TunerState* state);
  std::optional<Nanos> DrawStart();
  void StartCycle();
  void Step(const std::function<bool()>& interrupted);
  void EndCycle(const std::function<bool()>& interrupted);
  void Accept(Nanos makespan);
  // Changes trial_; false if the move drawn does not apply.
  bool Move(MoveKind kind);
  void KeepOrder();
  // Climbs from the schedule that trial_ led to, and makes trial_ that order.
  // Its makespan if it is below `limit`.
  std::optional<Nanos> Climb(int64_t steps, Nanos threshold, Nanos limit,
                             const std::function<bool()>& interrupted);
  void RecordBest(Nanos makespan, std::optional<MoveKind> move);
  Nanos Threshold() const;

  const Problem& problem_;
  const TunerOptions& options_;
  const std::vector<TunerState>& starts_;
  const int devices_;
  const int micro_batches_;
  const int most_stages_;
  bool limited_ = false;
  const LayoutLoads loads_;
  std::mt19937_64 random_;
  KeyScheduler scheduler_;
  GapScheduler gaps_;
  KeyScheduler reversed_;
  bool reversed_is_known_ = false;  // it has the layout of scheduler_
  MoveSelector selector_;

  // The layout that the scheduler knows.
  StageTable table_;
  TunerState known_;
  bool layout_fits_ = false;
  std::vector<int64_t> keys_;

  TunerState current_;
  Nanos current_makespan_ = KeyScheduler::kNever;
  std::vector<Nanos> current_starts_;
  std::vector<Nanos> current_latest_;
  bool current_is_justified_ = false;
  TunerState trial_;

  // The cycle from one start to the next.
  int64_t cycle_length_;
  int64_t cycle_left_ = 0;
  Nanos cycle_threshold_ = 0;
  bool cycle_climbs_ = false;  // after each move

  TunedPlan elite_;
  TunedPlan best_;
  std::vector<TunerStep> steps_;
  int64_t evaluations_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_ISLAND_H_
