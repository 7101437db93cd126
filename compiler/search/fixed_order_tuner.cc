#include "compiler/search/fixed_order_tuner.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/partition_dp.h"
#include "compiler/search/priority_weights.h"
#include "compiler/search/space_layouts.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/memory_timeline.h"

namespace octopipe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
constexpr int kMaxStages = 64;
constexpr int kMostShifts = 4;
constexpr int kMostJumps = 3;
// Rounds in a row without a new cut before the space counts as searched.
constexpr int kIdleRounds = 300;
// Cuts that are remembered.
constexpr size_t kMostKnown = 200'000;
constexpr double kReportSeconds = 0.1;

class FixedOrderTuner {
 public:
  FixedOrderTuner(const Problem& problem, const TunerOptions& options)
      : problem_(problem),
        options_(options),
        space_(*options.space),
        devices_(static_cast<int>(problem.devices.size())),
        began_(Clock::now()),
        random_(options.seed) {}

  absl::StatusOr<TunerResult> Run();

 private:
  std::vector<Partition> Starts() const;
  bool Keeps(const Partition& partition) const {
    return space_.Allows(partition, Loop(partition.stages()));
  }
  Placement Loop(int stages) const {
    return MakePlacement(PlacementPattern::kLoop, stages, devices_);
  }
  // Simulates `partition` unless it is known; kNever if there is no plan.
  Nanos Evaluate(const Partition& partition);
  absl::StatusOr<Order> MakePlan(const Partition& partition, Nanos* makespan);
  // Shifts boundaries as long as that helps. False if the search is over.
  bool Improve(Partition* partition);
  bool Shift(int first, int last, int by, Partition* partition) const;
  // Takes one boundary out and puts another one in, if the space allows it.
  void Jump(Partition* partition);
  Partition Changed(const Partition& partition);
  bool IsOver();
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  const Problem& problem_;
  const TunerOptions& options_;
  const SpaceFilter& space_;
  const int devices_;
  const Clock::time_point began_;
  std::mt19937_64 random_;
  std::map<std::vector<int>, Nanos> known_;
  Partition best_;
  Nanos best_makespan_ = kNever;
  absl::Status refusal_;
  double reported_s_ = 0;
  TunerResult result_;
};

std::vector<Partition> FixedOrderTuner::Starts() const {
  std::vector<Partition> starts;
  const int layers = static_cast<int>(problem_.layers.size());
  const int most = space_.rules().placement == StageRule::kOneEach
                       ? devices_
                       : std::max(devices_, std::min(layers, kMaxStages));
  for (int stages = devices_; stages <= most; stages += devices_) {
    const Placement loop = Loop(stages);
    for (auto& cut : {PartitionEven(problem_, stages),
                      PartitionMinMax(problem_, stages, loop),
                      PartitionMinVariance(problem_, stages, loop)}) {
      if (cut.ok()) starts.push_back(*cut);
    }
    const auto cut = CutInSpace(problem_, space_, loop, false);
    if (cut) starts.push_back(*cut);
  }
  if (options_.warm_start != nullptr) {
    starts.push_back(options_.warm_start->partition);
  }
  starts.erase(std::remove_if(starts.begin(), starts.end(),
                              [&](const Partition& cut) {
                                return !space_.Allows(
                                    cut, MakePlacement(PlacementPattern::kLoop,
                                                       cut.stages(), devices_));
                              }),
               starts.end());
  return starts;
}

absl::StatusOr<Order> FixedOrderTuner::MakePlan(const Partition& partition,
                                                Nanos* makespan) {
  const int stages = partition.stages();
  const StageTable table =
      BuildStageTable(problem_, partition,
                      MakePlacement(PlacementPattern::kLoop, stages, devices_));
  OCTOPIPE_ASSIGN_OR_RETURN(
      Order order,
      GenerateNamedSchedule(stages == devices_ ? "1f1b" : "interleaved-1f1b",
                            table));
  OCTOPIPE_ASSIGN_OR_RETURN(const Timeline timeline,
                            EvaluateOrder(table, order));
  for (int d = 0; d < devices_; ++d) {
    const Bytes memory = table.memory_bytes[d];
    if (memory == 0) continue;
    const Bytes peak = PeakMemory(table, order, d).bytes;
    if (peak <= memory) continue;
    return absl::ResourceExhaustedError(absl::StrCat(
        "device '", problem_.devices[d].name, "' needs ", BytesText(peak), ", ",
        BytesText(peak - memory), " over its ", BytesText(memory)));
  }
  *makespan = timeline.makespan_ns;
  return order;
}

Nanos FixedOrderTuner::Evaluate(const Partition& partition) {
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [at, is_new] = known_.try_emplace(partition.begin, kNever);
  if (!is_new) return at->second;
  ++result_.evaluations;
  Nanos makespan = kNever;
  const auto order = MakePlan(partition, &makespan);
  if (!order.ok()) {
    // Missing memory says more than a schedule that does not apply.
    if (refusal_.ok() || absl::IsResourceExhausted(order.status())) {
      refusal_ = order.status();
    }
    return kNever;
  }
  at->second = makespan;
  if (makespan < best_makespan_) {
    result_.steps.push_back({result_.evaluations, makespan,
                             best_makespan_ == kNever
                                 ? std::nullopt
                                 : std::optional(MoveKind::kPartition)});
    best_makespan_ = makespan;
    best_ = partition;
  }
  return makespan;
}

bool FixedOrderTuner::IsOver() {
  const bool found = best_makespan_ != kNever;
  if (found && options_.progress && Seconds() >= reported_s_ + kReportSeconds) {
    reported_s_ = Seconds();
    options_.progress(
        {best_makespan_, result_.bound.ns, result_.evaluations, reported_s_});
  }
  if (found &&
      GapPpm(best_makespan_, result_.bound.ns) <= options_.target_gap_ppm) {
    result_.stop = TunerStop::kTarget;
  } else if (options_.cancel != nullptr && *options_.cancel) {
    result_.stop = TunerStop::kCancelled;
  } else if (options_.evaluations > 0 &&
             result_.evaluations >= options_.evaluations) {
    result_.stop = TunerStop::kEvaluations;
  } else if (options_.time_limit_s > 0 && Seconds() >= options_.time_limit_s) {
    result_.stop = TunerStop::kTime;
  } else {
    return false;
  }
  return true;
}

bool FixedOrderTuner::Shift(int first, int last, int by,
                            Partition* partition) const {
  std::vector<int>& begin = partition->begin;
  if (begin[first] + by <= begin[first - 1] ||
      begin[last] + by >= begin[last + 1]) {
    return false;
  }
  for (int b = first; b <= last; ++b) begin[b] += by;
  if (space_.Allows(*partition, MakePlacement(PlacementPattern::kLoop,
                                              partition->stages(), devices_))) {
    return true;
  }
  for (int b = first; b <= last; ++b) begin[b] -= by;
  return false;
}

bool FixedOrderTuner::Improve(Partition* partition) {
  Nanos makespan = Evaluate(*partition);
  const int stages = partition->stages();
  for (bool improved = true; improved;) {
    improved = false;
    // Single boundaries first, then longer and longer runs of them.
    for (int length = 1; length < stages && !improved; ++length) {
      for (int first = 1; first + length <= stages; ++first) {
        for (int by : {-1, 1}) {
          if (IsOver()) return false;
          const int last = first + length - 1;
          if (!Shift(first, last, by, partition)) continue;
          const Nanos shifted = Evaluate(*partition);
          if (shifted < makespan) {
            makespan = shifted;
            improved = true;
          } else {
            for (int b = first; b <= last; ++b) partition->begin[b] -= by;
          }
        }
      }
    }
  }
  return true;
}

void FixedOrderTuner::Jump(Partition* partition) {
  Partition jumped = *partition;
  std::vector<int>& begin = jumped.begin;
  begin.erase(begin.begin() + 1 + Below(random_, partition->stages() - 1));
  const int to = 1 + static_cast<int>(Below(random_, begin.back() - 1));
  const auto at = std::lower_bound(begin.begin(), begin.end(), to);
  if (*at == to) return;
  begin.insert(at, to);
  if (Keeps(jumped)) *partition = std::move(jumped);
}

Partition FixedOrderTuner::Changed(const Partition& partition) {
  Partition changed = partition;
  const int stages = partition.stages();
  if (stages < 2) return changed;
  for (int64_t n = Below(random_, kMostJumps + 1); n > 0; --n) Jump(&changed);
  for (int n = 2 + static_cast<int>(Below(random_, kMostShifts)); n > 0; --n) {
    int first = 1 + static_cast<int>(Below(random_, stages - 1));
    int last = 1 + static_cast<int>(Below(random_, stages - 1));
    if (first > last) std::swap(first, last);
    Shift(first, last, Below(random_, 2) == 0 ? 1 : -1, &changed);
  }
  return changed;
}

absl::StatusOr<TunerResult> FixedOrderTuner::Run() {
  result_.bound = BestBound(problem_);
  std::vector<Partition> starts = Starts();
  if (starts.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no cut keeps the pins and what target ",
                     space_.rules().name, " holds: ", space_.rules().summary));
  }
  for (const Partition& start : starts) {
    // At least one that is a plan, then as long as there is time.
    if (best_makespan_ != kNever && IsOver()) break;
    Evaluate(start);
  }
  auto known = [&](const Partition& cut) {
    const auto at = known_.find(cut.begin);
    return at == known_.end() ? kNever : at->second;
  };
  std::stable_sort(starts.begin(), starts.end(),
                   [&](const Partition& a, const Partition& b) {
                     return known(a) < known(b);
                   });
  bool goes_on = options_.partition && !IsOver();
  for (size_t i = 0; goes_on && i < starts.size(); ++i) {
    goes_on = Improve(&starts[i]);
  }
  for (int idle = 0; goes_on && idle < kIdleRounds;) {
    const int64_t before = result_.evaluations;
    const bool from_best = best_makespan_ != kNever && Below(random_, 4) != 0;
    Partition trial =
        Changed(from_best ? best_ : starts[Below(random_, starts.size())]);
    goes_on = Improve(&trial);
    idle = result_.evaluations == before ? idle + 1 : 0;
  }
  if (best_makespan_ == kNever) return refusal_;

  result_.plan.partition = best_;
  result_.plan.placement = Loop(best_.stages());
  Nanos makespan = 0;
  OCTOPIPE_ASSIGN_OR_RETURN(result_.plan.order, MakePlan(best_, &makespan));
  OCTOPIPE_RETURN_IF_ERROR(FinishTuning(problem_, options_, &result_));
  return std::move(result_);
}

}  // namespace

absl::StatusOr<TunerResult> TuneFixedOrder(const Problem& problem,
                                           const TunerOptions& options) {
  OCTOPIPE_RETURN_IF_ERROR(CheckTunerOptions(problem, options));
  return FixedOrderTuner(problem, options).Run();
}

}  // namespace octopipe
