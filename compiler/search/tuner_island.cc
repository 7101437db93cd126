#include "compiler/search/tuner_island.h"

#include <algorithm>
#include <utility>

#include "compiler/search/partition_moves.h"
#include "compiler/search/placement_moves.h"
#include "compiler/search/priority_weights.h"
#include "compiler/search/stage_windows.h"
#include "compiler/search/true_makespan.h"
#include "compiler/search/tuner_starts.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

constexpr int64_t kFirstCycle = 2000;
constexpr int64_t kLongestCycle = 32000;
constexpr int kMostTurns = 8;
constexpr int kStartDraws = 8;
constexpr int kExploresOfLine = 2;
// Cycles without a gain of 1/2000 that end a line.
constexpr int kMostStale = 2;
constexpr int kStartRepairs = 60;
constexpr int kStartJustifications = 4;
constexpr int kMoveRepairs = 4;
// Changes of an order by climbing, and how many of them count and take about as
// much as list scheduling once.
constexpr int64_t kShortClimb = 1000;
constexpr int64_t kLongClimb = 20000;
constexpr int64_t kStepsOfEvaluation = 16;
// A climb may take as long as simulating so many items.
constexpr int64_t kItemsOfClimb = 200'000'000;

}  // namespace

TunerIsland::TunerIsland(const Problem& problem, const TunerOptions& options,
                         int64_t further_micro_batches,
                         const std::vector<TunerState>& starts, uint64_t seed,
                         bool follows_elite)
    : problem_(problem),
      options_(options),
      further_micro_batches_(further_micro_batches),
      starts_(starts),
      follows_elite_(follows_elite),
      devices_(static_cast<int>(problem.devices.size())),
      micro_batches_(static_cast<int>(problem.micro_batches)),
      most_stages_(static_cast<int>(problem.layers.size())),
      long_climb_(std::clamp<int64_t>(
          kItemsOfClimb / (3 * int64_t{most_stages_} * micro_batches_), 500,
          kLongClimb)),
      loads_(problem, further_micro_batches),
      random_(seed),
      selector_(options),
      cycle_length_(kFirstCycle) {
  for (int turns = 1; turns <= kMostTurns; ++turns) {
    if (turns > 1 && turns * devices_ > most_stages_) break;
    for (int order = 0; order < kTurnOrders; ++order) {
      cells_.push_back({turns, static_cast<TurnOrder>(order)});
    }
  }
  horizon_ns_ = TotalWork(problem) / devices_ * micro_batches_ + 1;
  for (const Device& device : problem.devices) {
    limited_ |= device.memory_bytes != 0;
  }
}

bool TunerIsland::SetLayout(TunerState* state) {
  const bool same_layout = known_.partition == state->partition &&
                           known_.placement == state->placement;
  if (!same_layout) {
    if (options_.space != nullptr &&
        !options_.space->Allows(state->partition, state->placement)) {
      return false;
    }
    table_ = BuildStageTable(problem_, state->partition, state->placement);
    surcharge_ns_ = further_micro_batches_ * BusiestDeviceWork(table_);
  }
  for (int s = 0; s < table_.num_stages(); ++s) {
    if (!table_.stages[s].splittable || !options_.split_backward) {
      state->split[s] = 0;
    }
  }
  if (!same_layout || known_.split != state->split ||
      known_.memory_permille != state->memory_permille) {
    std::vector<Bytes> capacity = table_.memory_bytes;
    for (Bytes& bytes : capacity) {
      bytes = bytes / 1000 * state->memory_permille +
              bytes % 1000 * state->memory_permille / 1000;
    }
    layout_fits_ = scheduler_.SetTable(table_, state->split, capacity);
    reversed_is_known_ = false;
    known_.partition = state->partition;
    known_.placement = state->placement;
    known_.split = state->split;
    known_.memory_permille = state->memory_permille;
  }
  return layout_fits_;
}

std::optional<Nanos> TunerIsland::Evaluate(TunerState* state, Nanos limit) {
  ++evaluations_;
  if (!SetLayout(state)) return std::nullopt;
  const std::vector<int64_t>* keys = &state->keys;
  if (keys->empty()) {
    KeysOf(state->weights, scheduler_.Tails(), micro_batches_, &keys_);
    keys = &keys_;
  }
  const bool exact = state->exact && !state->keys.empty();
  const std::optional<Nanos> makespan =
      scheduler_.Run({*keys, state->weights.patience_ns, state->windows, exact},
                     limit - surcharge_ns_);
  if (!makespan) return std::nullopt;
  if (!table_.HasContention()) return *makespan + surcharge_ns_;
  const Nanos full =
      TrueMakespan(table_, scheduler_.MakeOrder(), *makespan) + surcharge_ns_;
  if (full >= limit) return std::nullopt;
  return full;
}

std::optional<Nanos> TunerIsland::Justify(absl::Span<const Nanos> starts,
                                          Nanos limit) {
  evaluations_ += 2;
  if (!reversed_is_known_) {
    reversed_.SetReversedTable(table_, trial_.split);
    reversed_is_known_ = true;
  }
  const absl::Span<const Nanos> durations = scheduler_.Durations();
  // To the priorities of the other direction of time and back.
  auto turn = [&](absl::Span<const Nanos> from, std::vector<int64_t>* keys) {
    keys->resize(from.size());
    for (size_t task = 0; task < durations.size(); ++task) {
      const size_t first = task * micro_batches_;
      for (int m = 0; m < micro_batches_; ++m) {
        (*keys)[first + micro_batches_ - 1 - m] =
            -(from[first + m] + durations[task]);
      }
    }
  };
  turn(starts, &keys_);
  if (Below(random_, 4) == 0) {
    gaps_.SetGraph(reversed_.graph());
    if (gaps_.Run(keys_, trial_.windows) < 0) return std::nullopt;
    turn(gaps_.Starts(), &trial_.keys);
  } else {
    if (!reversed_.Run({keys_, 0, trial_.windows}, KeyScheduler::kNever)) {
      return std::nullopt;
    }
    turn(reversed_.Starts(), &trial_.keys);
  }
  if (Below(random_, 4) < (limited_ ? 1 : 2)) {
    gaps_.SetGraph(scheduler_.graph());
    // Transfers that queue come on top.
    const Nanos end = gaps_.Run(trial_.keys, trial_.windows);
    if (end < 0 || end >= limit - surcharge_ns_) return std::nullopt;
    trial_.keys.assign(gaps_.Starts().begin(), gaps_.Starts().end());
    trial_.exact = true;
  } else {
    trial_.exact = false;
  }
  return Evaluate(&trial_, limit);
}

std::optional<Nanos> TunerIsland::TakeClimbed(const OrderClimber& climber,
                                              Nanos limit) {
  // Without moves of layers where there is a surcharge it stays the same.
  if (climber.best_makespan() >= limit - surcharge_ns_) return std::nullopt;
  trial_.partition = climber.best_plan().partition;
  trial_.memory_permille = 1000;
  trial_.windows.clear();
  trial_.exact = true;
  trial_.keys.assign(scheduler_.Starts().size(), 0);
  for (const auto& program : climber.best_plan().order.programs) {
    for (size_t i = 0; i < program.size(); ++i) {
      const WorkItem& item = program[i];
      trial_.keys[TaskOf(item.kind, item.stage) * size_t(micro_batches_) +
                  item.micro_batch] = static_cast<int64_t>(i);
    }
  }
  return Evaluate(&trial_, limit);
}

void TunerIsland::SetElite(const TunedPlan& elite) {
  elite_ = elite;
  best_.makespan_ns = KeyScheduler::kNever;
  steps_.clear();
  if (follows_elite_ && elite.makespan_ns < line_makespan_) StartLine();
}

void TunerIsland::OpenWindows(TunerState* state) {
  if (!SetLayout(state)) return;
  const int64_t stretch = 1000 + Below(random_, limited_ ? 2000 : 4000);
  state->windows = FlowWindows(table_, scheduler_.Tails(), table_.memory_bytes,
                               stretch, Below(random_, 2) == 0);
}

TunerState TunerIsland::DrawLayout(int* cell) {
  *cell = -1;
  // The starts lie in the space that is searched.
  const bool given_starts =
      !options_.partition || !options_.placement || options_.space != nullptr;
  if (given_starts || Below(random_, 6) == 0) {
    return starts_[Below(random_, starts_.size())];
  }
  // Of two cells that which has led further, or any.
  const int64_t cells = static_cast<int64_t>(cells_.size());
  *cell = static_cast<int>(Below(random_, cells));
  const int other = static_cast<int>(Below(random_, cells));
  if (Below(random_, 4) != 0 && cells_[other].best_ns < cells_[*cell].best_ns) {
    *cell = other;
  }
  TunerState state =
      RandomStart(problem_, cells_[*cell].turns, cells_[*cell].order, random_);
  if (Below(random_, 8) != 0) {
    loads_.Repair(kStartRepairs, most_stages_, &state);
  }
  return state;
}

std::optional<Nanos> TunerIsland::DrawStart(const TunerState& start,
                                            const Stop& interrupted) {
  trial_ = start;
  if (options_.order) {
    if (Below(random_, 4) != 0) {
      trial_.keys.clear();
      trial_.weights = RandomWeights(trial_.partition.stages(), micro_batches_,
                                     horizon_ns_, random_);
    }
    if (Below(random_, 8) < (limited_ ? 7 : 1)) OpenWindows(&trial_);
  }
  std::optional<Nanos> makespan = Evaluate(&trial_, KeyScheduler::kNever);
  if (!options_.order || !makespan) return makespan;
  for (int n = 0; n < kStartJustifications && !interrupted(); ++n) {
    const TunerState before = trial_;
    std::vector<int64_t> starts;
    scheduler_.GetOrderKeys(&starts);
    const std::optional<Nanos> justified = Justify(starts, *makespan);
    if (!justified) {
      trial_ = before;
      break;
    }
    makespan = justified;
  }
  return makespan;
}

void TunerIsland::Draw(const Stop& interrupted) {
  if (draws_left_-- > 0) {
    const std::optional<Nanos> makespan = DrawStart(start_, interrupted);
    if (makespan && *makespan < drawn_makespan_) {
      drawn_makespan_ = *makespan;
      drawn_ = trial_;
    }
    return;
  }
  phase_ = Phase::kStart;
  std::optional<Nanos> makespan;
  if (drawn_makespan_ != KeyScheduler::kNever) {
    trial_ = std::move(drawn_);
    makespan = Evaluate(&trial_, KeyScheduler::kNever);
  }
  if (makespan) {
    StartSteps(*makespan, false);
  } else {
    cell_ = -1;
  }
}

OrderClimber TunerIsland::MakeClimber() const {
  // It knows neither spaces nor further micro-batches.
  const bool moves_layers = options_.partition && options_.space == nullptr &&
                            further_micro_batches_ == 0;
  return OrderClimber(
      problem_, {trial_.partition, trial_.placement, scheduler_.MakeOrder()},
      moves_layers);
}

void TunerIsland::StartClimb(int64_t steps, Nanos threshold, Nanos limit) {
  climber_.emplace(MakeClimber());
  climb_steps_ = steps;
  climb_done_ = 0;
  climb_threshold_ = threshold;
  climb_limit_ = limit;
  phase_ = Phase::kClimb;
}

void TunerIsland::ClimbOn(int64_t evaluations, const Stop& interrupted) {
  const int64_t steps =
      std::min(climb_steps_ - climb_done_, evaluations * kStepsOfEvaluation);
  auto threshold = [&](int64_t done) {
    return climb_threshold_ -
           climb_threshold_ / 1024 * (done * 1024 / climb_steps_);
  };
  climber_->Climb(steps, threshold(climb_done_), threshold(climb_done_ + steps),
                  random_, interrupted);
  climb_done_ += steps;
  evaluations_ += std::max<int64_t>(1, steps / kStepsOfEvaluation);
  if (climb_done_ == climb_steps_) EndClimb();
}

void TunerIsland::EndClimb() {
  phase_ = Phase::kStart;
  const std::optional<Nanos> makespan = TakeClimbed(*climber_, climb_limit_);
  climber_.reset();
  if (makespan) {
    Accept(*makespan);
    Record(*makespan, MoveKind::kOrder);
  }
  if (cell_ >= 0) {
    Nanos& reached = cells_[cell_].best_ns;
    reached = std::min(reached, current_makespan_);
  }
  cell_ = -1;
}

void TunerIsland::StartSteps(Nanos makespan, bool climbs) {
  phase_ = Phase::kStep;
  cycle_climbs_ = climbs;
  cycle_left_ = cycle_length_;
  if (!options_.order) {
    cycle_length_ = std::min(kLongestCycle, cycle_length_ + cycle_length_ / 4);
  }
  cycle_threshold_ =
      (makespan - surcharge_ns_) / 1000 * (1 + Below(random_, climbs ? 5 : 15));
  Accept(makespan);
  Record(makespan, std::nullopt);
}

void TunerIsland::StartLine() {
  stale_ = 0;
  turn_ = 0;
  line_makespan_ = KeyScheduler::kNever;
  line_before_ = KeyScheduler::kNever;
  if (follows_elite_) {
    line_ = elite_.state;
    line_makespan_ = elite_.makespan_ns;
  } else {
    explores_left_ = kExploresOfLine;
  }
}

void TunerIsland::StartCycle() {
  if (!options_.order) return StartListCycle();
  if (explores_left_ > 0) {
    --explores_left_;
    start_ = DrawLayout(&cell_);
    draws_left_ = kStartDraws;
    drawn_makespan_ = KeyScheduler::kNever;
    phase_ = Phase::kDraw;
    return;
  }
  const bool gained = line_makespan_ < line_before_ - line_before_ / 2000;
  stale_ = gained ? 0 : stale_ + 1;
  if (line_makespan_ == KeyScheduler::kNever || stale_ > kMostStale) {
    return StartLine();
  }
  line_before_ = line_makespan_;
  trial_ = line_;
  const std::optional<Nanos> makespan = Evaluate(&trial_, KeyScheduler::kNever);
  if (!makespan) return StartLine();
  switch (turn_++ % 4) {
    case 0:
    case 2:
      StartClimb(long_climb_,
                 (*makespan - surcharge_ns_) / 1024 * (1 + Below(random_, 6)),
                 *makespan);
      break;
    case 1:
      StartSteps(*makespan, true);
      break;
    default:
      StartSteps(*makespan, Below(random_, 2) == 0);
      break;
  }
}

void TunerIsland::StartListCycle() {
  trial_ = elite_.state;
  int cell = -1;
  const std::optional<Nanos> makespan =
      Below(random_, 2) == 0
          ? Evaluate(&trial_, KeyScheduler::kNever)
          : DrawStart(DrawLayout(&cell), [] { return false; });
  if (makespan) StartSteps(*makespan, false);
}

Nanos TunerIsland::Threshold() const {
  // Falls with the square of what is left of the cycle.
  const int64_t left = cycle_left_ * 1024 / cycle_length_;
  return cycle_threshold_ / 1024 * left / 1024 * left;
}

void TunerIsland::Accept(Nanos makespan) {
  std::swap(current_, trial_);
  current_makespan_ = makespan;
  current_span_ = makespan - surcharge_ns_;
  scheduler_.GetOrderKeys(&current_starts_);
  current_latest_ = scheduler_.LatestStarts();
  current_is_justified_ = false;
  selector_.SetIdleTime(scheduler_.MeasureIdleTime());
}

void TunerIsland::Record(Nanos makespan, std::optional<MoveKind> move) {
  if (makespan < line_makespan_) {
    line_ = current_;
    line_makespan_ = makespan;
  }
  if (makespan >= std::min(best_.makespan_ns, elite_.makespan_ns)) return;
  best_.makespan_ns = makespan;
  best_.state = current_;
  best_.plan = {current_.partition, current_.placement, scheduler_.MakeOrder()};
  steps_.push_back({evaluations_, makespan, move});
}

// The order of the current schedule becomes the priority of the trial.
void TunerIsland::KeepOrder() {
  const std::vector<Nanos>& times =
      Below(random_, 4) == 0 ? current_latest_ : current_starts_;
  trial_.keys.assign(times.begin(), times.end());
  trial_.exact = &times == &current_starts_ && Below(random_, 2) == 0;
}

bool TunerIsland::Move(MoveKind kind) {
  trial_ = current_;
  if (kind == MoveKind::kOrder) {
    const int64_t draw = Below(random_, 8);
    if (draw == 0 && (limited_ || !trial_.windows.empty())) {
      if (trial_.windows.empty()) {
        OpenWindows(&trial_);
      } else {
        MoveWindows(trial_.placement.device, micro_batches_, random_,
                    &trial_.windows);
      }
      if (!trial_.keys.empty() && Below(random_, 2) == 0) KeepOrder();
    } else if (draw < (trial_.keys.empty() ? 4 : 2)) {
      MoveWeights(limited_, micro_batches_, current_span_, random_, &trial_);
    } else {
      MoveItems({current_starts_, current_latest_, current_span_},
                micro_batches_, random_, &trial_);
    }
    return true;
  }
  if (!trial_.keys.empty() || Below(random_, 2) == 0) KeepOrder();
  const bool moved = kind == MoveKind::kPartition
                         ? MovePartition(devices_, most_stages_, micro_batches_,
                                         random_, &trial_)
                         : MovePlacement(devices_, random_, &trial_);
  if (!moved) return false;
  // One move often unbalances what another mends. A repair knows no space.
  if (options_.partition && options_.placement && options_.space == nullptr &&
      Below(random_, 4) == 0) {
    loads_.Repair(1 + static_cast<int>(Below(random_, kMoveRepairs)),
                  most_stages_, &trial_);
  }
  return true;
}

void TunerIsland::Search(int64_t evaluations,
                         const std::function<bool()>& interrupted) {
  const int64_t end = evaluations_ + evaluations;
  while (evaluations_ < end && !interrupted()) {
    switch (phase_) {
      case Phase::kStart:
        StartCycle();
        break;
      case Phase::kDraw:
        Draw(interrupted);
        break;
      case Phase::kStep:
        Step(interrupted);
        break;
      case Phase::kClimb:
        ClimbOn(end - evaluations_, interrupted);
        break;
    }
  }
}

void TunerIsland::Step(const Stop& interrupted) {
  if (cycle_left_ <= 0) {
    phase_ = Phase::kStart;
    if (!options_.order) return;
    trial_ = current_;
    if (!Evaluate(&trial_, KeyScheduler::kNever)) return;
    StartClimb(long_climb_, current_span_ / 256, current_makespan_);
    return;
  }
  const int64_t evaluations_before = evaluations_;
  const MoveKind kind = selector_.Draw(random_);
  const Nanos before = current_makespan_;
  const Nanos limit = before + Threshold() + 1;
  std::optional<Nanos> makespan;
  if (kind == MoveKind::kOrder && !current_is_justified_ &&
      Below(random_, 8) == 0) {
    current_is_justified_ = true;
    trial_ = current_;
    if (SetLayout(&trial_)) makespan = Justify(current_starts_, limit);
  } else if (Move(kind)) {
    makespan =
        Evaluate(&trial_, cycle_climbs_ ? before + current_span_ / 32 : limit);
    if (cycle_climbs_ && makespan) {
      OrderClimber climber = MakeClimber();
      climber.Climb(kShortClimb, current_span_ / 1024, 0, random_, interrupted);
      evaluations_ += kShortClimb / kStepsOfEvaluation;
      makespan = TakeClimbed(climber, limit);
    }
    selector_.Report(kind, makespan && *makespan < before);
  }
  cycle_left_ -= std::max<int64_t>(1, evaluations_ - evaluations_before);
  if (!makespan) return;
  Accept(*makespan);
  Record(*makespan, kind);
}

}  // namespace octopipe
