#include "compiler/simulator/item_priority.h"

#include <algorithm>

namespace octopipe {
namespace {

bool IsKind(int task, TaskKind kind) {
  return task % 3 == static_cast<int>(kind);
}

// The longest chain of work from the start of each task, transfers included.
std::vector<int64_t> Tails(const StageTable& table, const WorkDag& dag,
                           const Policy& policy) {
  const int stages = table.num_stages();
  std::vector<int64_t> tails(3 * stages, 0);
  auto set = [&](WorkKind kind, int stage) {
    Nanos behind = 0;
    for (int a : dag.outputs[OpOf(kind, stage)]) {
      const WorkArc& arc = dag.arcs[a];
      behind = std::max(behind,
                        arc.transfer_ns + arc.latency_ns + tails[arc.consumer]);
    }
    tails[TaskOf(kind, stage)] = DurationOf(table.stages[stage], kind) + behind;
  };
  // Gradients flow to lower stages, activations to higher ones.
  for (int s = 0; s < stages; ++s) {
    set(WorkKind::kWeightGradient, s);
    set(SplitsBackward(table, policy, s) ? WorkKind::kInputGradient
                                         : WorkKind::kBackward,
        s);
  }
  for (int s = stages - 1; s >= 0; --s) set(WorkKind::kForward, s);
  return tails;
}

// Edges on the longest path from each stage to a stage without successors.
std::vector<int> DistancesToLoss(const StageTable& table) {
  std::vector<int> distance(table.num_stages(), 0);
  for (int s = table.num_stages() - 1; s >= 0; --s) {
    for (int e : table.out_edges[s]) {
      distance[s] = std::max(distance[s], 1 + distance[table.edges[e].to]);
    }
  }
  return distance;
}

std::vector<int64_t> ValuesOf(TieBreak rule, const StageTable& table,
                              const WorkDag& dag, const Policy& policy) {
  std::vector<int64_t> values;
  if (rule == TieBreak::kOldestMicroBatch) return values;
  const int tasks = 3 * table.num_stages();
  if (rule == TieBreak::kLongestTail) {
    values = Tails(table, dag, policy);
    for (int64_t& value : values) value = -value;
    return values;
  }
  const std::vector<int> distances = DistancesToLoss(table);
  for (int task = 0; task < tasks; ++task) {
    switch (rule) {
      case TieBreak::kBackwardBeforeForward:
        values.push_back(IsKind(task, TaskKind::kForward));
        break;
      case TieBreak::kForwardBeforeBackward:
        values.push_back(!IsKind(task, TaskKind::kForward));
        break;
      case TieBreak::kWeightGradientLast:
        values.push_back(IsKind(task, TaskKind::kWeight));
        break;
      case TieBreak::kDeepestStage:
        values.push_back(distances[task / 3]);
        break;
      default:  // kShallowestStage
        values.push_back(-distances[task / 3]);
        break;
    }
  }
  return values;
}

}  // namespace

bool SplitsBackward(const StageTable& table, const Policy& policy, int stage) {
  if (policy.split == BackwardSplit::kNever) return false;
  if (!table.stages[stage].splittable) return false;
  if (policy.split == BackwardSplit::kAlways) return true;
  return std::any_of(table.in_edges[stage].begin(), table.in_edges[stage].end(),
                     [&](int e) { return table.edges[e].needs_grad; });
}

ItemPriority::ItemPriority(const StageTable& table, const WorkDag& dag,
                           const Policy& policy)
    : rules_(policy.rules) {
  for (TieBreak rule : rules_) {
    values_.push_back(ValuesOf(rule, table, dag, policy));
  }
  const int tasks = 3 * table.num_stages();
  // The rules before the micro-batch's age, and those after it with kind and
  // stage; without such a rule the micro-batch comes last of all.
  const size_t age =
      std::find(rules_.begin(), rules_.end(), TieBreak::kOldestMicroBatch) -
      rules_.begin();
  const bool has_age = age < rules_.size();
  auto ranks = [&](size_t begin, size_t end, bool total) {
    auto key = [&](int task) {
      std::vector<int64_t> values;
      for (size_t r = begin; r < end; ++r) {
        if (!values_[r].empty()) values.push_back(values_[r][task]);
      }
      if (total) {
        values.push_back(task % 3);
        values.push_back(task / 3);
      }
      return values;
    };
    std::vector<std::vector<int64_t>> keys;
    for (int task = 0; task < tasks; ++task) keys.push_back(key(task));
    std::vector<std::vector<int64_t>> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<uint64_t> rank;
    for (const auto& k : keys) {
      rank.push_back(std::lower_bound(sorted.begin(), sorted.end(), k) -
                     sorted.begin());
    }
    return rank;
  };
  const std::vector<uint64_t> before = ranks(0, age, !has_age);
  const std::vector<uint64_t> after = ranks(age, rules_.size(), true);
  stride_ = tasks;
  for (int task = 0; task < tasks; ++task) {
    base_.push_back(before[task] * table.micro_batches * stride_ + after[task]);
  }
}

std::optional<TieBreak> ItemPriority::Decides(int task, int micro_batch,
                                              int other_task,
                                              int other_micro_batch) const {
  for (size_t r = 0; r < rules_.size(); ++r) {
    const bool differs = values_[r].empty()
                             ? micro_batch != other_micro_batch
                             : values_[r][task] != values_[r][other_task];
    if (differs) return rules_[r];
  }
  return std::nullopt;
}

}  // namespace octopipe
