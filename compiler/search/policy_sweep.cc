#include "compiler/search/policy_sweep.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/base/finding.h"
#include "compiler/base/quantity_text.h"
#include "compiler/base/status_macros.h"
#include "compiler/bounds/memory_fit.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/list_policies.h"
#include "compiler/search/order_by_policy.h"
#include "compiler/search/sweep_space.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/memory_timeline.h"

namespace octopipe {
namespace {

absl::StatusOr<std::vector<std::string>> PoliciesToTry(
    const SweepOptions& options) {
  std::vector<std::string> all, lists;
  for (const NamedSchedule& schedule : NamedSchedules()) {
    all.emplace_back(schedule.name);
  }
  for (const ListPolicy& list : ListPolicies()) lists.emplace_back(list.name);
  all.insert(all.end(), lists.begin(), lists.end());
  if (!options.policy) return all;
  if (*options.policy == lists.front()) return lists;
  if (std::find(all.begin(), all.end(), *options.policy) != all.end()) {
    return std::vector<std::string>{*options.policy};
  }
  return absl::NotFoundError(absl::StrCat("unknown policy '", *options.policy,
                                          "'; expected one of ",
                                          absl::StrJoin(all, ", ")));
}

absl::Status CheckMemory(const Problem& problem, const StageTable& table,
                         const Order& order, Bytes* most) {
  absl::Status status;
  for (int d = 0; d < table.num_devices; ++d) {
    const Bytes peak = PeakMemory(table, order, d).bytes;
    *most = std::max(*most, peak);
    const Bytes memory = table.memory_bytes[d];
    if (memory == 0 || peak <= memory || !status.ok()) continue;
    status =
        ErrorAt(absl::StatusCode::kResourceExhausted, Rule::kMemoryExceeded,
                {SubjectKind::kDevice, d},
                absl::StrCat("device '", problem.devices[d].name, "' needs ",
                             BytesText(peak), ", ", BytesText(peak - memory),
                             " over its ", BytesText(memory)));
  }
  return status;
}

// Fills in `candidate`; the order is of use if its refusal is OK.
Order Try(const Problem& problem, const StageTable& table, BackwardSplit split,
          SweepCandidate& candidate) {
  absl::StatusOr<Order> order = OrderByPolicy(table, candidate.policy, split);
  if (!order.ok()) {
    candidate.refusal = order.status();
    return {};
  }
  const absl::StatusOr<Timeline> timeline = EvaluateOrder(table, *order);
  if (!timeline.ok()) {
    candidate.refusal = timeline.status();
    return {};
  }
  candidate.makespan_ns = timeline->makespan_ns;
  candidate.refusal =
      CheckMemory(problem, table, *order, &candidate.peak_bytes);
  return *std::move(order);
}

absl::Status RefusalOf(const Problem& problem,
                       const std::vector<SweepCandidate>& candidates) {
  // What needs least says how much memory is missing; a policy that found no
  // order within the memory does not know.
  auto need = [](const SweepCandidate& candidate) {
    const bool is_known = candidate.peak_bytes > 0;
    return std::make_tuple(!absl::IsResourceExhausted(candidate.refusal),
                           !is_known, candidate.peak_bytes);
  };
  const auto found = std::min_element(
      candidates.begin(), candidates.end(),
      [&](const auto& a, const auto& b) { return need(a) < need(b); });
  if (candidates.size() == 1) return found->refusal;
  std::string message = absl::StrCat(
      "none of ", candidates.size(), " candidates is a plan; ", found->stages,
      " stages", found->policy.empty() ? "" : " by ", found->policy, ": ",
      found->refusal.message());
  if (const auto why = WhyNothingFits(problem)) {
    absl::StrAppend(&message, "; no plan fits: ", *why);
  }
  absl::Status status(found->refusal.code(), message);
  found->refusal.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) {
        status.SetPayload(url, payload);
      });
  return status;
}

// What no order on this layout beats.
Nanos WorkOfBusiest(const StageTable& table) {
  return table.micro_batches * BusiestDeviceWork(table);
}

// At most, of one policy on each layout.
int64_t ItemsOf(const Problem& problem,
                const std::vector<SweepLayout>& layouts) {
  int64_t items = 0;
  for (const SweepLayout& layout : layouts) {
    if (layout.refusal.ok()) items += 3 * layout.stages * problem.micro_batches;
  }
  return items;
}

int64_t ItemsOf(const Order& order) {
  int64_t items = 0;
  for (const auto& program : order.programs) {
    items += static_cast<int64_t>(program.size());
  }
  return items;
}

void PutPromisingFirst(const Problem& problem,
                       const std::vector<SweepLayout>& layouts,
                       std::vector<int>* order,
                       std::vector<std::string>* policies) {
  std::vector<Nanos> work;
  for (const SweepLayout& layout : layouts) {
    work.push_back(layout.refusal.ok()
                       ? WorkOfBusiest(BuildStageTable(
                             problem, layout.partition, layout.placement))
                       : 0);
  }
  std::stable_sort(order->begin(), order->end(),
                   [&](int a, int b) { return work[a] < work[b]; });
  std::stable_partition(
      policies->begin(), policies->end(), [](const std::string& policy) {
        return absl::c_any_of(ListPolicies(), [&](const ListPolicy& list) {
          return list.name == policy;
        });
      });
}

}  // namespace

SweepCandidate EvaluateBaseline(const Problem& problem) {
  const int devices = static_cast<int>(problem.devices.size());
  SweepCandidate baseline;
  baseline.policy = "1f1b";
  baseline.stages = devices;
  SweepOptions options;
  options.stages = devices;
  options.partition = baseline.partition;
  options.placement = baseline.placement;
  const auto layouts = LayoutsToTry(problem, options);
  baseline.refusal = layouts.ok() ? layouts->front().refusal : layouts.status();
  if (!baseline.refusal.ok()) return baseline;
  const SweepLayout& layout = layouts->front();
  const StageTable table =
      BuildStageTable(problem, layout.partition, layout.placement);
  Try(problem, table, BackwardSplit::kAuto, baseline);
  return baseline;
}

absl::StatusOr<SweepResult> SweepPolicies(const Problem& problem,
                                          const SweepOptions& options) {
  OCTOPIPE_ASSIGN_OR_RETURN(std::vector<std::string> policies,
                            PoliciesToTry(options));
  SweepResult result;
  OCTOPIPE_ASSIGN_OR_RETURN(result.layouts, LayoutsToTry(problem, options));
  std::vector<int> order(result.layouts.size());
  std::iota(order.begin(), order.end(), 0);
  const bool limited =
      options.most_items > 0 &&
      ItemsOf(problem, result.layouts) * static_cast<int64_t>(policies.size()) >
          options.most_items;
  if (limited) PutPromisingFirst(problem, result.layouts, &order, &policies);
  const int total = static_cast<int>(order.size() * policies.size());
  int done = 0;
  auto report = [&](int steps) {
    done += steps;
    if (options.progress) options.progress(done, total);
  };

  bool found = false;
  int64_t items = 0;
  auto is_over = [&] {
    return found && ((limited && items >= options.most_items) ||
                     (options.cancel && options.cancel()));
  };
  for (int l : order) {
    if (is_over()) break;
    const SweepLayout& layout = result.layouts[l];
    SweepCandidate candidate;
    candidate.layout = l;
    candidate.stages = layout.stages;
    candidate.partition = layout.objective;
    candidate.placement = layout.strategy;
    candidate.refusal = layout.refusal;
    if (!layout.refusal.ok()) {
      result.candidates.push_back(std::move(candidate));
      report(static_cast<int>(policies.size()));
      continue;
    }
    const StageTable table =
        BuildStageTable(problem, layout.partition, layout.placement);
    if (limited && found &&
        WorkOfBusiest(table) >= result.candidates[result.best].makespan_ns) {
      report(static_cast<int>(policies.size()));
      continue;
    }
    for (const std::string& policy : policies) {
      if (is_over()) break;
      candidate.policy = policy;
      candidate.makespan_ns = 0;
      candidate.peak_bytes = 0;
      Order made = Try(problem, table, options.split, candidate);
      items += ItemsOf(made);
      result.candidates.push_back(candidate);
      report(1);
      if (!candidate.refusal.ok()) continue;
      // Stages and place in the table grow as we go.
      const SweepCandidate& best = result.candidates[result.best];
      if (found && std::tie(best.makespan_ns, best.peak_bytes) <=
                       std::tie(candidate.makespan_ns, candidate.peak_bytes)) {
        continue;
      }
      found = true;
      result.best = static_cast<int>(result.candidates.size()) - 1;
      result.plan = {layout.partition, layout.placement, std::move(made)};
    }
  }
  if (!found) return RefusalOf(problem, result.candidates);
  OCTOPIPE_ASSIGN_OR_RETURN(
      result.metrics,
      EvaluatePlan(BuildStageTable(problem, result.plan.partition,
                                   result.plan.placement),
                   result.plan.order));
  result.baseline = EvaluateBaseline(problem);
  return result;
}

}  // namespace octopipe
