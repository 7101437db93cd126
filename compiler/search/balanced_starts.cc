#include "compiler/search/balanced_starts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/layout_loads.h"
#include "compiler/search/partition_dp.h"
#include "compiler/search/priority_weights.h"
#include "compiler/search/stage_windows.h"
#include "compiler/search/tuner_starts.h"

namespace octopipe {
namespace {

constexpr int kMostTurns = 8;
constexpr int kRepairs = 4;
// The order in which amounts of repair are tried.
constexpr std::array<int, kRepairs> kRepairsForMany = {3, 0, 2, 1};
constexpr std::array<int, kRepairs> kRepairsForFew = {1, 0, 2, 3};
// Micro-batches for each device from which they are many.
constexpr int kMany = 4;
// How much longer micro-batches may stay than their chain of work takes.
constexpr int64_t kStretchPermille = 1500;

// Steps in all.
std::array<int, kRepairs> RepairSteps(int devices) {
  return {0, devices / 16 + 1, devices / 3 + 1, 4 * devices};
}

class Starter {
 public:
  Starter(const Problem& problem, const BalancedStartsOptions& options)
      : problem_(problem),
        options_(options),
        loads_(problem, options.further_micro_batches),
        work_(TotalWork(problem)),
        devices_(static_cast<int>(problem.devices.size())),
        layers_(static_cast<int>(problem.layers.size())),
        micro_batches_(static_cast<int>(problem.micro_batches)) {
    for (const Device& device : problem.devices) {
      limited_ |= device.memory_bytes != 0;
    }
  }

  BalancedStarts Run() {
    MakeLayouts();
    int64_t items = 0;
    const bool many =
        (micro_batches_ + options_.further_micro_batches) / kMany >= devices_;
    for (int repair : many ? kRepairsForMany : kRepairsForFew) {
      for (const TunerState& layout : layouts_[repair]) {
        if (items >= options_.most_items ||
            (options_.cancel && options_.cancel())) {
          return std::move(found_);
        }
        items += TryLayout(layout);
      }
    }
    return std::move(found_);
  }

 private:
  void MakeLayouts();
  // The number of items that it scheduled.
  int64_t TryLayout(TunerState state);
  void TryOrder(const TunerState& state);
  PriorityWeights Flow(int stages) const;
  PriorityWeights BackwardsFirst(int stages) const;

  const Problem& problem_;
  const BalancedStartsOptions& options_;
  const LayoutLoads loads_;
  const Nanos work_;  // of a micro-batch
  const int devices_;
  const int layers_;
  const int micro_batches_;
  bool limited_ = false;
  std::array<std::vector<TunerState>, kRepairs> layouts_;
  KeyScheduler scheduler_;
  std::vector<int64_t> keys_;
  Nanos surcharge_ns_ = 0;  // of the layout, for the further micro-batches
  Nanos least_ns_ = KeyScheduler::kNever;  // with it
  BalancedStarts found_;
};

void Starter::MakeLayouts() {
  const std::array<int, kRepairs> steps = RepairSteps(devices_);
  for (int turns = 1; turns <= kMostTurns; ++turns) {
    const int stages = turns * devices_;
    if (stages > layers_) break;
    for (PlacementPattern pattern :
         {PlacementPattern::kLoop, PlacementPattern::kWave}) {
      if (turns == 1 && pattern == PlacementPattern::kWave) continue;
      TunerState state;
      state.placement = MakePlacement(pattern, stages, devices_);
      absl::StatusOr<Partition> cut =
          PartitionMinVariance(problem_, stages, state.placement);
      if (!cut.ok()) continue;
      state.partition = *std::move(cut);
      layouts_[0].push_back(state);
      for (int r = 1; r < kRepairs; ++r) {
        if (loads_.Repair(steps[r] - steps[r - 1], layers_, &state)) {
          layouts_[r].push_back(state);
          continue;
        }
        // Nothing helps any more.
        if (r > 1) {
          layouts_[r - 1].pop_back();
          layouts_.back().push_back(state);
        }
        break;
      }
    }
  }
}

// Weight gradients fill what is left; of forwards and backwards that go first
// which is farthest behind a steady flow.
PriorityWeights Starter::Flow(int stages) const {
  PriorityWeights weights;
  weights.micro_batch_ns = work_ / devices_ + 1;
  weights.kind_ns[2] = 2 * (work_ + micro_batches_ * weights.micro_batch_ns);
  weights.tail_permille = 1000;
  weights.task_ns.assign(3 * stages, 0);
  return weights;
}

PriorityWeights Starter::BackwardsFirst(int stages) const {
  PriorityWeights weights;
  weights.kind_ns = {2 * work_, 0, 4 * work_};
  weights.tail_permille = 1000;
  weights.task_ns.assign(3 * stages, 0);
  return weights;
}

int64_t Starter::TryLayout(TunerState state) {
  // A promise is of the shortest plan, as a rule.
  if (loads_.ScoreOf(state.partition, state.placement).largest_ns >=
      least_ns_) {
    return 0;
  }
  const StageTable table =
      BuildStageTable(problem_, state.partition, state.placement);
  surcharge_ns_ = options_.further_micro_batches * BusiestDeviceWork(table);
  const int stages = table.num_stages();
  state.split.assign(stages, 0);
  // Nothing waits for the input gradient of stage 0.
  for (int s = 1; s < stages; ++s) {
    state.split[s] = options_.split_backward && table.stages[s].splittable;
  }
  if (!scheduler_.SetTable(table, state.split, table.memory_bytes)) return 0;
  const int64_t before = found_.evaluations;
  for (bool windows : {false, true}) {
    if (windows && !limited_) break;
    if (windows) {
      state.windows = FlowWindows(table, scheduler_.Tails(), table.memory_bytes,
                                  kStretchPermille, /*fill=*/true);
    }
    for (bool flow : {true, false}) {
      state.weights = flow ? Flow(stages) : BackwardsFirst(stages);
      TryOrder(state);
    }
  }
  return (found_.evaluations - before) * 3 * stages * micro_batches_;
}

void Starter::TryOrder(const TunerState& state) {
  ++found_.evaluations;
  KeysOf(state.weights, scheduler_.Tails(), micro_batches_, &keys_);
  const std::optional<Nanos> makespan =
      scheduler_.Run({keys_, state.weights.patience_ns, state.windows, false},
                     least_ns_ - surcharge_ns_);
  if (!makespan) return;
  least_ns_ = *makespan + surcharge_ns_;
  found_.makespan_ns = *makespan;
  found_.plan = {state.partition, state.placement, scheduler_.MakeOrder()};
  found_.states.push_back(state);
}

}  // namespace

BalancedStarts FindBalancedStarts(const Problem& problem,
                                  const BalancedStartsOptions& options) {
  return Starter(problem, options).Run();
}

}  // namespace octopipe
