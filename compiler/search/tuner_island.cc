#include "compiler/search/tuner_island.h"

#include <algorithm>
#include <utility>

#include "compiler/search/order_climber.h"
#include "compiler/search/partition_moves.h"
#include "compiler/search/placement_moves.h"
#include "compiler/search/priority_weights.h"
#include "compiler/search/stage_windows.h"
#include "compiler/search/tuner_starts.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

constexpr int64_t kFirstCycle = 2000;
constexpr int64_t kLongestCycle = 32000;
// A random start has at most this many stages a device.
constexpr int kMostStartTurns = 8;
// Of several draws the best starts a cycle.
constexpr int kStartDraws = 6;
constexpr int kStartRepairs = 60;
constexpr int kStartJustifications = 4;
// Changes of an order by climbing, and how many of them count and take about as
// much as list scheduling once.
constexpr int64_t kShortClimb = 1000;
constexpr int64_t kLongClimb = 20000;
constexpr int64_t kStepsOfEvaluation = 16;
constexpr int kMoveRepairs = 4;

}  // namespace

TunerIsland::TunerIsland(const Problem& problem, const TunerOptions& options,
                         const std::vector<TunerState>& starts, uint64_t seed)
    : problem_(problem),
      options_(options),
      starts_(starts),
      devices_(static_cast<int>(problem.devices.size())),
      micro_batches_(static_cast<int>(problem.micro_batches)),
      most_stages_(static_cast<int>(problem.layers.size())),
      loads_(problem),
      random_(seed),
      selector_(options),
      cycle_length_(kFirstCycle) {
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
  return scheduler_.Run(
      {*keys, state->weights.patience_ns, state->windows, exact}, limit);
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
    if (end < 0 || end >= limit) return std::nullopt;
    trial_.keys.assign(gaps_.Starts().begin(), gaps_.Starts().end());
    trial_.exact = true;
  } else {
    trial_.exact = false;
  }
  return Evaluate(&trial_, limit);
}

std::optional<Nanos> TunerIsland::Climb(
    int64_t steps, Nanos threshold, Nanos limit,
    const std::function<bool()>& interrupted) {
  std::vector<Bytes> room = table_.memory_bytes;
  for (size_t d = 0; d < room.size(); ++d) {
    if (room[d] != 0) room[d] -= table_.static_bytes[d];
  }
  OrderClimber climber(table_, room);
  climber.Climb(scheduler_.MakeOrder(), steps, threshold, random_, interrupted);
  evaluations_ += steps / kStepsOfEvaluation;
  if (climber.best_makespan() >= limit) return std::nullopt;
  trial_.memory_permille = 1000;
  trial_.windows.clear();
  trial_.exact = true;
  trial_.keys.assign(scheduler_.Starts().size(), 0);
  for (const std::vector<WorkItem>& program : climber.best_order().programs) {
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
}

void TunerIsland::OpenWindows(TunerState* state) {
  if (!SetLayout(state)) return;
  const int64_t stretch = 1000 + Below(random_, limited_ ? 2000 : 4000);
  state->windows = FlowWindows(table_, scheduler_.Tails(), table_.memory_bytes,
                               stretch, Below(random_, 2) == 0);
}

// A start drawn at random in trial_, and its makespan.
std::optional<Nanos> TunerIsland::DrawStart() {
  const bool fixed_layout =
      !options_.partition || !options_.placement || options_.space != nullptr;
  if (fixed_layout || Below(random_, 4) == 0) {
    trial_ = starts_[Below(random_, starts_.size())];
  } else {
    trial_ = RandomStart(
        problem_, std::min(most_stages_, kMostStartTurns * devices_), random_);
  }
  if (!fixed_layout && Below(random_, 8) != 0) {
    loads_.Repair(kStartRepairs, most_stages_, &trial_);
  }
  if (options_.order && Below(random_, 8) < (limited_ ? 7 : 1)) {
    OpenWindows(&trial_);
  }
  std::optional<Nanos> makespan = Evaluate(&trial_, KeyScheduler::kNever);
  if (!options_.order || !makespan) return makespan;
  for (int n = 0; n < kStartJustifications; ++n) {
    const TunerState before = trial_;
    const auto now = scheduler_.Starts();
    const std::vector<Nanos> starts(now.begin(), now.end());
    const std::optional<Nanos> justified = Justify(starts, *makespan);
    if (!justified) {
      trial_ = before;
      break;
    }
    makespan = justified;
  }
  return makespan;
}

void TunerIsland::StartCycle() {
  cycle_climbs_ = false;
  std::optional<Nanos> makespan;
  if (Below(random_, 8) < 4) {
    cycle_climbs_ = Below(random_, 4) != 0;
    trial_ = elite_.state;
    makespan = Evaluate(&trial_, KeyScheduler::kNever);
  } else {
    TunerState best;
    for (int n = 0; n < kStartDraws; ++n) {
      const std::optional<Nanos> drawn = DrawStart();
      if (!drawn || (makespan && *drawn >= *makespan)) continue;
      makespan = drawn;
      best = trial_;
    }
    if (!makespan) return;
    trial_ = std::move(best);
    // What follows reads the schedule of the best.
    makespan = Evaluate(&trial_, KeyScheduler::kNever);
  }
  if (!makespan) return;
  cycle_left_ = cycle_length_;
  cycle_length_ = std::min(kLongestCycle, cycle_length_ + cycle_length_ / 4);
  cycle_threshold_ = *makespan / 1000 * (1 + Below(random_, 15));
  Accept(*makespan);
  if (*makespan < std::min(best_.makespan_ns, elite_.makespan_ns)) {
    RecordBest(*makespan, std::nullopt);
  }
}

Nanos TunerIsland::Threshold() const {
  // Falls with the square of what is left of the cycle.
  const int64_t left = cycle_left_ * 1024 / cycle_length_;
  return cycle_threshold_ / 1024 * left / 1024 * left;
}

void TunerIsland::Accept(Nanos makespan) {
  std::swap(current_, trial_);
  current_makespan_ = makespan;
  scheduler_.GetOrderKeys(&current_starts_);
  current_latest_ = scheduler_.LatestStarts();
  current_is_justified_ = false;
  selector_.SetIdleTime(scheduler_.MeasureIdleTime());
}

void TunerIsland::RecordBest(Nanos makespan, std::optional<MoveKind> move) {
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
      MoveWeights(limited_, micro_batches_, current_makespan_, random_,
                  &trial_);
    } else {
      MoveItems({current_starts_, current_latest_, current_makespan_},
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
  // One move often unbalances what another mends.
  if (options_.partition && options_.placement && Below(random_, 4) == 0) {
    loads_.Repair(1 + static_cast<int>(Below(random_, kMoveRepairs)),
                  most_stages_, &trial_);
  }
  return true;
}

void TunerIsland::Search(int64_t evaluations,
                         const std::function<bool()>& interrupted) {
  const int64_t end = evaluations_ + evaluations;
  while (evaluations_ < end && !interrupted()) {
    if (cycle_left_ <= 0) {
      StartCycle();
      continue;
    }
    const int64_t before = evaluations_;
    Step(interrupted);
    cycle_left_ -= std::max<int64_t>(1, evaluations_ - before);
    if (cycle_left_ <= 0) EndCycle(interrupted);
  }
}

void TunerIsland::Step(const std::function<bool()>& interrupted) {
  const MoveKind kind = selector_.Draw(random_);
  const Nanos before = current_makespan_;
  const Nanos limit = before + Threshold() + 1;
  const bool climbs = options_.order && cycle_climbs_;
  std::optional<Nanos> makespan;
  if (kind == MoveKind::kOrder && !current_is_justified_ &&
      Below(random_, 8) == 0) {
    current_is_justified_ = true;
    trial_ = current_;
    if (!SetLayout(&trial_)) return;
    makespan = Justify(current_starts_, limit);
  } else {
    if (!Move(kind)) return;
    makespan = Evaluate(&trial_, climbs ? before + before / 32 : limit);
    if (climbs && makespan) {
      makespan = Climb(kShortClimb, before / 1024, limit, interrupted);
    }
  }
  selector_.Report(kind, makespan && *makespan < before);
  if (!makespan) return;
  Accept(*makespan);
  if (*makespan < std::min(best_.makespan_ns, elite_.makespan_ns)) {
    RecordBest(*makespan, kind);
  }
}

void TunerIsland::EndCycle(const std::function<bool()>& interrupted) {
  if (!options_.order) return;
  trial_ = current_;
  if (!Evaluate(&trial_, KeyScheduler::kNever)) return;
  const std::optional<Nanos> makespan = Climb(
      kLongClimb, current_makespan_ / 256, current_makespan_, interrupted);
  if (!makespan) return;
  Accept(*makespan);
  if (*makespan < std::min(best_.makespan_ns, elite_.makespan_ns)) {
    RecordBest(*makespan, MoveKind::kOrder);
  }
}

}  // namespace octopipe
