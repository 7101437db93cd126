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
#include "compiler/search/order_climber.h"
#include "compiler/search/order_moves.h"
#include "compiler/search/tuner_options.h"
#include "compiler/search/tuner_starts.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

// A plan with its makespan and the state that list scheduling makes it from.
struct TunedPlan {
  Nanos makespan_ns = KeyScheduler::kNever;
  TunerState state;
  Plan plan;
};

// Follows one line of plans at a time, in cycles:
//  - explore, at the beginning of a line: of several random starts on a random
//    layout, repaired, list scheduled and justified, the best is climbed from.
//    Which kind of layout is tried follows what came of it before;
//  - anneal: a long climb from the best of the line;
//  - iterate: moves of the layout and the order, each followed by a short
//  climb;
//  - list: moves of the layout and of priorities, by list scheduling alone, and
//    a climb at the end.
// Steps are accepted below a threshold that falls to zero in a cycle. When
// several cycles have gained nothing, a new line begins. What the island does
// depends on its arguments alone.
class TunerIsland {
 public:
  // `problem` and `options` are valid and outlive the island. Makespans count
  // with what the busiest device takes for `further_micro_batches`. `starts` is
  // where lines may begin; not empty. If it `follows_elite`, its lines begin at
  // the best of all islands instead.
  TunerIsland(const Problem& problem, const TunerOptions& options,
              int64_t further_micro_batches,
              const std::vector<TunerState>& starts, uint64_t seed,
              bool follows_elite);

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
  using Stop = std::function<bool()>;
  // A kind of start: so many turns in such an order.
  struct Cell {
    int turns = 1;
    TurnOrder order = TurnOrder::kLoop;
    Nanos best_ns = KeyScheduler::kNever;
  };

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
  // Draws trial_ and schedules it.
  std::optional<Nanos> DrawStart(const TunerState& start,
                                 const Stop& interrupted);
  TunerState DrawLayout(int* cell);
  // From the schedule that trial_ led to.
  OrderClimber MakeClimber() const;
  void StartLine();
  void StartCycle();
  // Without moves of the order.
  void StartListCycle();
  // The parts of cycles, each as long as a few evaluations at most.
  void Draw(const Stop& interrupted);
  void Step(const Stop& interrupted);
  void ClimbOn(int64_t evaluations, const Stop& interrupted);
  // Starts a cycle of steps from trial_.
  void StartSteps(Nanos makespan, bool climbs);
  // Starts a climb from the schedule that trial_ led to; what is found counts
  // if it is below `limit`.
  void StartClimb(int64_t steps, Nanos threshold, Nanos limit);
  void EndClimb();
  void Accept(Nanos makespan);
  // Changes trial_; false if the move drawn does not apply.
  bool Move(MoveKind kind);
  void KeepOrder();
  // Makes trial_ the plan that `climber` found. Its makespan if it is below
  // `limit`.
  std::optional<Nanos> TakeClimbed(const OrderClimber& climber, Nanos limit);
  // Keeps current_ if it is the best of the island, or of all.
  void Record(Nanos makespan, std::optional<MoveKind> move);
  Nanos Threshold() const;

  const Problem& problem_;
  const TunerOptions& options_;
  const int64_t further_micro_batches_;
  const std::vector<TunerState>& starts_;
  const bool follows_elite_;
  const int devices_;
  const int micro_batches_;
  const int most_stages_;
  const int64_t long_climb_;
  Nanos horizon_ns_ = 0;  // about the makespan, from the work alone
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
  // For the further micro-batches on the layout of table_.
  Nanos surcharge_ns_ = 0;
  bool layout_fits_ = false;
  std::vector<int64_t> keys_;

  TunerState current_;
  Nanos current_makespan_ = KeyScheduler::kNever;
  Nanos current_span_ = 0;  // of its schedule, without the surcharge
  std::vector<Nanos> current_starts_;
  std::vector<Nanos> current_latest_;
  bool current_is_justified_ = false;
  TunerState trial_;

  enum class Phase { kStart, kDraw, kStep, kClimb };
  Phase phase_ = Phase::kStart;
  // Of draws: the layout, its cell or -1, and the best of them.
  TunerState start_;
  int cell_ = -1;
  int draws_left_ = 0;
  TunerState drawn_;
  Nanos drawn_makespan_ = KeyScheduler::kNever;
  // Of steps.
  int64_t cycle_length_;
  int64_t cycle_left_ = 0;
  Nanos cycle_threshold_ = 0;
  bool cycle_climbs_ = false;  // after each move
  // Of a climb.
  std::optional<OrderClimber> climber_;
  int64_t climb_steps_ = 0;
  int64_t climb_done_ = 0;
  Nanos climb_threshold_ = 0;
  Nanos climb_limit_ = 0;

  std::vector<Cell> cells_;

  // The line: its best, that before the cycle, and how it goes on.
  TunerState line_;
  Nanos line_makespan_ = KeyScheduler::kNever;
  Nanos line_before_ = KeyScheduler::kNever;
  int explores_left_ = 0;
  int turn_ = 0;
  int stale_ = 0;
  TunedPlan elite_;
  TunedPlan best_;
  std::vector<TunerStep> steps_;
  int64_t evaluations_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_ISLAND_H_
