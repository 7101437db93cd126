#include "compiler/search/direct_tuner.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

#include "compiler/base/status_macros.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/balanced_starts.h"
#include "compiler/search/improve_small.h"
#include "compiler/search/policy_sweep.h"
#include "compiler/search/true_makespan.h"
#include "compiler/search/tuner_starts.h"
#include "compiler/simulator/evaluate.h"

namespace octopipe {
namespace {

constexpr int kMostIslands = 4;
// An island holds some 300 bytes for each item of a problem.
constexpr int64_t kItemsOfIslands = 8'000'000;
constexpr size_t kFinalists = 8;
constexpr int kSweepStarts = 12;
constexpr int kSpaceStarts = 64;
// Items that an island schedules between two meetings: some tens of
// milliseconds.
constexpr int64_t kItemsOfRound = 400'000;
// Partial schedules that are visited of a small problem: tenths of a second.
constexpr int64_t kSmallNodes = 100'000;
// What the sweep schedules at most: some seconds.
constexpr int64_t kItemsOfSweep = 60'000'000;
// One state in the order of the golden ratio, so that seeds lie far apart.
constexpr uint64_t kSeedStep = 0x9e3779b97f4a7c15;

}  // namespace

DirectTuner::DirectTuner(const Problem& problem, const TunerOptions& options,
                         int64_t further_micro_batches)
    : problem_(problem),
      options_(options),
      further_micro_batches_(further_micro_batches),
      items_(3 * static_cast<int64_t>(problem.layers.size()) *
             problem.micro_batches),
      began_(Clock::now()) {}

bool DirectTuner::IsInterrupted() const {
  return (options_.cancel != nullptr && *options_.cancel) ||
         (options_.time_limit_s > 0 && Seconds() >= options_.time_limit_s);
}

std::optional<TunerStop> DirectTuner::StopNow() const {
  if (GapPpm(best_.makespan_ns, result_.bound.ns) <= options_.target_gap_ppm) {
    return TunerStop::kTarget;
  }
  if (options_.cancel != nullptr && *options_.cancel) {
    return TunerStop::kCancelled;
  }
  if (options_.evaluations > 0 && result_.evaluations >= options_.evaluations) {
    return TunerStop::kEvaluations;
  }
  if (IsInterrupted()) return TunerStop::kTime;
  return std::nullopt;
}

void DirectTuner::Report() const {
  if (!options_.progress) return;
  options_.progress(
      {best_.makespan_ns, result_.bound.ns, result_.evaluations, Seconds()});
}

void DirectTuner::Offer(Plan plan, Nanos makespan) {
  makespan +=
      further_micro_batches_ * BusiestDeviceWork(BuildStageTable(
                                   problem_, plan.partition, plan.placement));
  if (makespan >= best_.makespan_ns) return;
  best_.makespan_ns = makespan;
  best_.state = StateOfPlan(problem_, plan);
  best_.plan = std::move(plan);
  result_.steps.push_back({result_.evaluations, makespan, std::nullopt});
}

void DirectTuner::SearchAllOfSmall() {
  if (!options_.partition || !options_.placement || !options_.order ||
      StopNow() == TunerStop::kTarget || !IsSmall(problem_)) {
    return;
  }
  const SpaceFilter* space = options_.space;
  if (space != nullptr && space->rules().has_own_order) return;
  int64_t nodes = kSmallNodes;
  std::optional<ImprovedPlan> improved = ImproveSmall(
      problem_, space, options_.split_backward, best_.makespan_ns, &nodes);
  // A schedule has about as many partial ones as items.
  result_.evaluations += (kSmallNodes - nodes) / items_;
  if (improved) Offer(std::move(improved->plan), improved->makespan_ns);
}

absl::Status DirectTuner::Start() {
  Problem whole = problem_;
  whole.micro_batches += further_micro_batches_;
  result_.bound = BestBound(whole);
  SweepOptions sweep_options;
  if (!options_.split_backward) sweep_options.split = BackwardSplit::kNever;
  sweep_options.space = options_.space;
  sweep_options.most_items = kItemsOfSweep;
  sweep_options.cancel = [this] {
    return options_.cancel != nullptr && *options_.cancel;
  };
  absl::StatusOr<SweepResult> sweep = SweepPolicies(problem_, sweep_options);
  if (sweep.ok()) {
    result_.evaluations = static_cast<int64_t>(sweep->candidates.size());
    const bool fixed_layout = !options_.partition || !options_.placement;
    // In a space they are all there is, besides the best.
    const int most = options_.space != nullptr ? kSpaceStarts : kSweepStarts;
    starts_ = StatesOfSweep(problem_, *sweep, fixed_layout ? 1 : most);
    sweep_policy_ = sweep->candidates[sweep->best].policy;
    sweep_layout_ = {sweep->plan.partition, sweep->plan.placement, {}};
    Offer(std::move(sweep->plan), sweep->metrics.makespan_ns);
    AddBalancedStarts(sweep_options.cancel);
  } else if (options_.warm_start == nullptr) {
    return sweep.status();
  }
  if (options_.warm_start != nullptr) {
    const Plan& plan = *options_.warm_start;
    const StageTable table =
        BuildStageTable(problem_, plan.partition, plan.placement);
    OCTOPIPE_ASSIGN_OR_RETURN(const Timeline timeline,
                              EvaluateOrder(table, plan.order));
    Offer(plan, timeline.makespan_ns);
  }
  SearchAllOfSmall();
  starts_.push_back(best_.state);
  const int64_t islands =
      std::clamp<int64_t>(kItemsOfIslands / items_, 1, kMostIslands);
  for (int i = 0; i < islands; ++i) {
    islands_.push_back(std::make_unique<TunerIsland>(
        problem_, options_, further_micro_batches_, starts_,
        (options_.seed * kMostIslands + i + 1) * kSeedStep, i == 0));
    islands_.back()->SetElite(best_);
  }
  return absl::OkStatus();
}

void DirectTuner::AddBalancedStarts(const std::function<bool()>& cancel) {
  if (!options_.partition || !options_.placement || !options_.order ||
      options_.space != nullptr) {
    return;
  }
  BalancedStartsOptions start_options;
  start_options.split_backward = options_.split_backward;
  start_options.further_micro_batches = further_micro_batches_;
  start_options.cancel = cancel;
  BalancedStarts found = FindBalancedStarts(problem_, start_options);
  result_.evaluations += found.evaluations;
  if (found.makespan_ns == KeyScheduler::kNever) return;
  const Nanos makespan = TrueMakespan(
      BuildStageTable(problem_, found.plan.partition, found.plan.placement),
      found.plan.order, found.makespan_ns);
  Offer(std::move(found.plan), makespan);
  std::move(found.states.begin(), found.states.end(),
            std::back_inserter(starts_));
}

void DirectTuner::KeepFinalist() {
  const auto same =
      std::find_if(finalists_.begin(), finalists_.end(), [&](const Plan& plan) {
        return plan.partition == best_.plan.partition &&
               plan.placement == best_.plan.placement;
      });
  if (same != finalists_.end()) finalists_.erase(same);
  if (finalists_.size() == kFinalists) finalists_.erase(finalists_.begin());
  finalists_.push_back(best_.plan);
}

bool DirectTuner::RunRound(int64_t evaluations) {
  auto count = [this] {
    int64_t done = 0;
    for (const auto& island : islands_) done += island->evaluations();
    return done;
  };
  const int64_t before = count();
  const int islands = static_cast<int>(islands_.size());
  std::atomic<int> next{0};
  auto work = [&] {
    for (int i = next++; i < islands; i = next++) {
      islands_[i]->Search(evaluations, [this] { return IsInterrupted(); });
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < std::min(options_.threads, islands); ++t) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (IsInterrupted()) return false;

  const TunerIsland* winner = nullptr;
  for (const auto& island : islands_) {
    if (winner == nullptr ||
        island->best().makespan_ns < winner->best().makespan_ns) {
      winner = island.get();
    }
  }
  if (winner->best().makespan_ns < best_.makespan_ns) {
    KeepFinalist();
    best_ = winner->best();
    result_.steps.insert(result_.steps.end(), winner->steps().begin(),
                         winner->steps().end());
  }
  for (const auto& island : islands_) island->SetElite(best_);
  result_.evaluations += count() - before;
  return true;
}

absl::StatusOr<TunerResult> DirectTuner::Run() {
  OCTOPIPE_RETURN_IF_ERROR(Start());
  Report();
  const int64_t round = std::clamp<int64_t>(kItemsOfRound / items_, 4, 1000);
  const int islands = static_cast<int>(islands_.size());
  const bool can_move =
      options_.partition || options_.placement || options_.order;
  std::optional<TunerStop> stop = StopNow();
  while (!stop && can_move) {
    int64_t evaluations = round;
    if (options_.evaluations > 0) {
      const int64_t left = options_.evaluations - result_.evaluations;
      evaluations = std::min(evaluations, (left + islands - 1) / islands);
    }
    const bool counts = RunRound(evaluations);
    if (counts) Report();
    stop = StopNow();
  }
  result_.stop = stop.value_or(TunerStop::kEvaluations);
  KeepFinalist();
  result_.plan = std::move(best_.plan);
  return std::move(result_);
}

}  // namespace octopipe
