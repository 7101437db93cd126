#include "compiler/search/extend_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/true_makespan.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

constexpr int kLongestPattern = 4;
constexpr int kWholePatterns = 12;  // divided by 1 to kLongestPattern
// Of the longest pattern; three do not always divide the rest, so what they
// promise is tried in full.
constexpr int kRemainder = 4;
constexpr int64_t kLeastMicroBatches = 32;
constexpr int64_t kTurns = 4;  // micro-batches for each device
// Times as many micro-batches are better extended than searched as they are, by
// trial on the published profiles.
constexpr int64_t kMany = 3;
// Micro-batches that a trial has beyond those of the plan.
constexpr int kFirstTrial = kWholePatterns;
constexpr int kSecondTrial = 3 * kWholePatterns;
// Items of all trials together: a second or two. At least one plan is tried.
constexpr int64_t kMostTrialItems = 40'000'000;

// A plan as keys of its items.
struct SmallPlan {
  const Plan* plan = nullptr;
  StageTable table;
  std::vector<uint8_t> split;
  std::vector<int64_t> keys;  // of task t and micro-batch m at t · M0 + m
  std::vector<int> windows;   // most micro-batches in flight, of each stage
};

struct Extension {
  int plan = 0;
  int first = 0;        // micro-batch of the pattern
  int length = 1;       // micro-batches of the pattern
  Nanos period_ns = 0;  // of the whole pattern
  bool exact = true;
  bool windows = false;
};

// The most micro-batches that are begun and not ended, by the keys.
int MostInFlight(absl::Span<const int64_t> begins,
                 absl::Span<const int64_t> ends) {
  int most = 1;
  for (size_t m = 0, ended = 0; m < begins.size(); ++m) {
    while (ended < m && ends[ended] < begins[m]) ++ended;
    most = std::max(most, static_cast<int>(m - ended) + 1);
  }
  return most;
}

absl::StatusOr<SmallPlan> MakeSmallPlan(const Problem& problem,
                                        int64_t micro_batches,
                                        const Plan& plan) {
  SmallPlan small;
  small.plan = &plan;
  small.table = BuildStageTable(problem, plan.partition, plan.placement);
  small.table.micro_batches = static_cast<int>(micro_batches);
  OCTOPIPE_ASSIGN_OR_RETURN(const Timeline timeline,
                            EvaluateOrder(small.table, plan.order));
  const int stages = small.table.num_stages();
  small.split.assign(stages, 0);
  small.keys.assign(3 * stages * micro_batches, 0);
  std::vector<uint8_t> whole(stages, 0);
  for (size_t d = 0; d < plan.order.programs.size(); ++d) {
    int64_t last = -1;
    for (size_t i = 0; i < plan.order.programs[d].size(); ++i) {
      const WorkItem& item = plan.order.programs[d][i];
      if (item.kind == WorkKind::kWeightGradient) small.split[item.stage] = 1;
      if (item.kind == WorkKind::kBackward) whole[item.stage] = 1;
      last = std::max(last + 1, timeline.start_ns[d][i]);
      small.keys[TaskOf(item.kind, item.stage) * micro_batches +
                 item.micro_batch] = last;
    }
  }
  const absl::Span<const int64_t> keys = small.keys;
  for (int s = 0; s < stages; ++s) {
    if (small.split[s] != 0 && whole[s] != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("stage ", s, " splits some of its backwards only"));
    }
    const TaskKind end =
        small.split[s] != 0 ? TaskKind::kWeight : TaskKind::kGradient;
    small.windows.push_back(MostInFlight(
        keys.subspan(TaskOf(TaskKind::kForward, s) * micro_batches,
                     micro_batches),
        keys.subspan(TaskOf(end, s) * micro_batches, micro_batches)));
  }
  return small;
}

class Extender {
 public:
  Extender(const Problem& problem, int64_t micro_batches)
      : problem_(problem), from_(static_cast<int>(micro_batches)) {}

  absl::Status Add(const Plan& plan) {
    OCTOPIPE_ASSIGN_OR_RETURN(SmallPlan small,
                              MakeSmallPlan(problem_, from_, plan));
    plans_.push_back(std::move(small));
    return absl::OkStatus();
  }
  absl::StatusOr<ExtendedPlan> Run();

 private:
  struct Ranked {
    Nanos promise_ns = 0;
    Extension extension;
  };

  std::vector<Extension> ExtensionsOf(int plan) const;
  // Tries the extensions of a plan; about how many items that took.
  int64_t Rank(int plan);
  void SetSize(int plan, int micro_batches);
  std::optional<Nanos> Evaluate(const Extension& extension, Nanos limit);

  const Problem& problem_;
  const int from_;
  std::vector<SmallPlan> plans_;
  std::vector<Ranked> ranked_;
  KeyScheduler scheduler_;
  int size_ = 0;
  int set_plan_ = -1;
  bool fits_ = false;
  std::vector<int64_t> keys_;
};

std::vector<Extension> Extender::ExtensionsOf(int plan) const {
  const SmallPlan& small = plans_[plan];
  const Nanos busiest = BusiestDeviceWork(small.table);
  std::vector<Extension> extensions;
  for (int length = 1; length <= std::min(kLongestPattern, from_); ++length) {
    for (int part : {2, 3}) {
      Extension extension;
      extension.plan = plan;
      extension.length = length;
      extension.first = std::min(from_ / part, from_ - length);
      // Where the plan ends there is no next start to tell the period.
      const int shift = std::min(length, from_ - 1 - extension.first);
      Nanos total = 0;
      int64_t tasks = 0;
      for (int task = 0; task < 3 * small.table.num_stages(); ++task) {
        if (task % 3 == static_cast<int>(TaskKind::kWeight) &&
            small.split[task / 3] == 0) {
          continue;
        }
        const int64_t* key = &small.keys[int64_t{task} * from_];
        total += key[extension.first + shift] - key[extension.first];
        ++tasks;
      }
      std::vector<Nanos> periods = {length * busiest};
      if (shift == length && total / tasks != periods[0]) {
        periods.push_back(total / tasks);
      }
      for (Nanos period : periods) {
        extension.period_ns = period;
        extension.exact = true;
        extension.windows = false;
        extensions.push_back(extension);
        extension.exact = false;
        extensions.push_back(extension);
        extension.windows = true;
        extensions.push_back(extension);
      }
    }
  }
  return extensions;
}

void Extender::SetSize(int plan, int micro_batches) {
  if (set_plan_ == plan && size_ == micro_batches) return;
  set_plan_ = plan;
  size_ = micro_batches;
  SmallPlan& small = plans_[plan];
  small.table.micro_batches = micro_batches;
  fits_ =
      scheduler_.SetTable(small.table, small.split, small.table.memory_bytes);
}

std::optional<Nanos> Extender::Evaluate(const Extension& extension,
                                        Nanos limit) {
  if (!fits_) return std::nullopt;
  const SmallPlan& small = plans_[extension.plan];
  const int extra = size_ - from_;
  const int length = extension.length;
  const int end = extension.first + length;
  const Nanos delay = extension.period_ns * extra / length;
  keys_.resize(3 * int64_t{small.table.num_stages()} * size_);
  for (int task = 0; task < 3 * small.table.num_stages(); ++task) {
    const int64_t* from = &small.keys[int64_t{task} * from_];
    int64_t* to = &keys_[int64_t{task} * size_];
    for (int m = 0; m < end; ++m) to[m] = from[m];
    for (int i = 0; i < extra; ++i) {
      to[end + i] = from[extension.first + i % length] +
                    (i / length + 1) * extension.period_ns;
    }
    for (int m = end; m < from_; ++m) to[m + extra] = from[m] + delay;
  }
  SchedulingKeys keys;
  keys.keys = keys_;
  keys.exact = extension.exact;
  if (extension.windows) keys.windows = small.windows;
  return scheduler_.Run(keys, limit);
}

// What a trial with more micro-batches takes, and as much for all the others
// as those between two trials.
int64_t Extender::Rank(int plan) {
  const int full = static_cast<int>(problem_.micro_batches);
  const std::vector<Extension> extensions = ExtensionsOf(plan);
  const int64_t items_of_one =
      3 * static_cast<int64_t>(plans_[plan].table.num_stages()) *
      static_cast<int64_t>(extensions.size());
  if (full <= from_ + kSecondTrial) {
    for (const Extension& extension : extensions) {
      SetSize(plan, full);
      const auto makespan = Evaluate(extension, KeyScheduler::kNever);
      if (makespan) ranked_.push_back({*makespan, extension});
    }
    return items_of_one * full;
  }
  std::vector<std::optional<Nanos>> first;
  SetSize(plan, from_ + kFirstTrial);
  for (const Extension& extension : extensions) {
    first.push_back(Evaluate(extension, KeyScheduler::kNever));
  }
  SetSize(plan, from_ + kSecondTrial);
  for (size_t i = 0; i < extensions.size(); ++i) {
    if (!first[i]) continue;
    const auto second = Evaluate(extensions[i], KeyScheduler::kNever);
    if (!second) continue;
    // What looks faster than the busiest device only eats up its idle time.
    const Nanos growth =
        std::max(BusiestDeviceWork(plans_[plan].table),
                 (*second - *first[i]) / (kSecondTrial - kFirstTrial));
    ranked_.push_back(
        {*second + growth * (full - from_ - kSecondTrial), extensions[i]});
  }
  return items_of_one * (2 * from_ + kFirstTrial + kSecondTrial);
}

absl::StatusOr<ExtendedPlan> Extender::Run() {
  int64_t items = 0;
  for (int p = static_cast<int>(plans_.size()) - 1;
       p >= 0 && items < kMostTrialItems; --p) {
    items += Rank(p);
  }
  std::stable_sort(ranked_.begin(), ranked_.end(),
                   [](const Ranked& a, const Ranked& b) {
                     return a.promise_ns < b.promise_ns;
                   });
  ExtendedPlan best;
  best.makespan_ns = KeyScheduler::kNever;
  Nanos last_promise = -1;
  for (const Ranked& ranked : ranked_) {
    if (best.full_runs == kMostFullRuns) break;
    // Equal promises are as a rule equal orders.
    if (ranked.promise_ns == last_promise && !best.plan.order.programs.empty())
      continue;
    last_promise = ranked.promise_ns;
    SetSize(ranked.extension.plan, static_cast<int>(problem_.micro_batches));
    ++best.full_runs;
    const auto makespan = Evaluate(ranked.extension, best.makespan_ns);
    if (!makespan) continue;
    Order order = scheduler_.MakeOrder();
    const Nanos full =
        TrueMakespan(plans_[ranked.extension.plan].table, order, *makespan);
    if (full >= best.makespan_ns) continue;
    best.makespan_ns = full;
    const Plan& small = *plans_[ranked.extension.plan].plan;
    best.plan = {small.partition, small.placement, std::move(order)};
  }
  if (best.makespan_ns == KeyScheduler::kNever) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no extension of ", plans_.size(), " plans from ", from_,
                     " to ", problem_.micro_batches,
                     " micro-batches keeps within the devices' memory"));
  }
  return best;
}

}  // namespace

int64_t MicroBatchesToExtend(const Problem& problem) {
  const int64_t least =
      std::max(kLeastMicroBatches,
               kTurns * static_cast<int64_t>(problem.devices.size()));
  if (problem.micro_batches < kMany * least) return 0;
  return least + (problem.micro_batches - least) % kRemainder;
}

Plan ShortenPlan(const Plan& plan, int64_t micro_batches) {
  Plan shorter = {plan.partition, plan.placement, {}};
  for (const std::vector<WorkItem>& program : plan.order.programs) {
    std::vector<WorkItem>& kept = shorter.order.programs.emplace_back();
    std::copy_if(
        program.begin(), program.end(), std::back_inserter(kept),
        [&](const WorkItem& item) { return item.micro_batch < micro_batches; });
  }
  return shorter;
}

absl::StatusOr<ExtendedPlan> ExtendPlans(const Problem& problem,
                                         int64_t micro_batches,
                                         absl::Span<const Plan> plans) {
  if (micro_batches < 1 || micro_batches > problem.micro_batches) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot extend from ", micro_batches, " to ",
                     problem.micro_batches, " micro-batches"));
  }
  Extender extender(problem, micro_batches);
  for (const Plan& plan : plans) {
    OCTOPIPE_RETURN_IF_ERROR(extender.Add(plan));
  }
  return extender.Run();
}

}  // namespace octopipe
