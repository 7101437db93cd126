#include "compiler/simulator/memory_banker.h"

#include <algorithm>

#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// Above any slack, and far enough from overflow to be lowered by any sum.
constexpr Bytes kNoLimit = 2 * kMaxTotal;
constexpr int kFirstWindow = 64;
constexpr int kNobody = -1;

}  // namespace

std::vector<int> OneMicroBatchAlone(const StageTable& table,
                                    const std::vector<bool>& splits) {
  const int stages = table.num_stages();
  std::vector<int> missing(stages, 0);  // gradients from later stages
  for (const StageEdge& edge : table.edges)
    missing[edge.from] += edge.needs_grad;
  std::vector<int> ops;
  std::vector<int> open;
  for (int s = 0; s < stages; ++s) {
    ops.push_back(OpOf(WorkKind::kForward, s));
    if (missing[s] == 0) open.push_back(s);
    while (!open.empty()) {
      const int stage = open.back();
      open.pop_back();
      if (splits[stage]) {
        ops.push_back(OpOf(WorkKind::kInputGradient, stage));
        ops.push_back(OpOf(WorkKind::kWeightGradient, stage));
      } else {
        ops.push_back(OpOf(WorkKind::kBackward, stage));
      }
      for (int e : table.in_edges[stage]) {
        const StageEdge& edge = table.edges[e];
        if (edge.needs_grad && --missing[edge.from] == 0) {
          open.push_back(edge.from);
        }
      }
    }
  }
  return ops;
}

MemoryBanker::MemoryBanker(const StageTable& table, const std::vector<int>& ops,
                           Bytes capacity)
    : micro_batches_(table.micro_batches),
      capacity_(capacity),
      held_by_(table.micro_batches, 0),
      items_left_(table.micro_batches, static_cast<int>(ops.size())),
      done_(ops.size() * table.micro_batches, false) {
  for (int op : ops) {
    effects_.push_back(
        MemoryEffectOf(table.stages[op / 4], static_cast<WorkKind>(op % 4)));
  }
  need_of_one_ = NeedOf(0, kNobody);
  Cover(0);
}

MemoryBanker::Node MemoryBanker::Join(const Node& older, const Node& younger) {
  return {older.held + younger.held,
          std::min(older.slack - younger.held, younger.slack)};
}

// With op `but_for` taken as done.
Bytes MemoryBanker::NeedOf(int micro_batch, int but_for) const {
  Bytes need = 0;
  Bytes level = 0;
  for (int i = 0; i < static_cast<int>(effects_.size()); ++i) {
    if (i == but_for || IsDone(i, micro_batch)) continue;
    need = std::max(need, level + effects_[i].rise);
    level += effects_[i].kept;
  }
  return need;
}

MemoryBanker::Node MemoryBanker::LeafOf(int micro_batch) const {
  if (micro_batch >= micro_batches_ || items_left_[micro_batch] == 0) {
    return {0, kNoLimit};
  }
  const Bytes held = held_by_[micro_batch];
  const bool untouched =
      items_left_[micro_batch] == static_cast<int>(effects_.size());
  return {held,
          -held - (untouched ? need_of_one_ : NeedOf(micro_batch, kNobody))};
}

void MemoryBanker::Cover(int micro_batch) {
  if (leaves_ > 0 && micro_batch < first_ + leaves_) return;
  first_ = oldest_;
  leaves_ = std::max(leaves_, kFirstWindow);
  // At least half of the window is new, so that its cost is shared by as many
  // micro-batches.
  while (2 * (micro_batch - first_) >= leaves_) leaves_ *= 2;
  tree_.resize(2 * leaves_);
  for (int i = 0; i < leaves_; ++i) tree_[leaves_ + i] = LeafOf(first_ + i);
  for (int n = leaves_ - 1; n > 0; --n) {
    tree_[n] = Join(tree_[2 * n], tree_[2 * n + 1]);
  }
}

bool MemoryBanker::Admits(int index, int micro_batch) {
  const MemoryEffect& effect = effects_[index];
  if (held_ + effect.rise > capacity_) return false;
  if (effect.kept <= 0) return true;
  Cover(micro_batch);
  Node older = {0, kNoLimit};
  for (int n = leaves_ + micro_batch - first_; n > 1; n /= 2) {
    if (n % 2 == 1) older = Join(tree_[n - 1], older);
  }
  // From `micro_batch` on.
  const Bytes held = held_ - older.held + effect.kept;
  return capacity_ - held + older.slack >= 0 &&
         capacity_ - held - NeedOf(micro_batch, index) >= 0;
}

void MemoryBanker::Run(int index, int micro_batch) {
  Cover(micro_batch);
  done_[static_cast<size_t>(micro_batch) * effects_.size() + index] = true;
  held_ += effects_[index].kept;
  held_by_[micro_batch] += effects_[index].kept;
  --items_left_[micro_batch];
  while (oldest_ < micro_batches_ && items_left_[oldest_] == 0) ++oldest_;
  int n = leaves_ + micro_batch - first_;
  tree_[n] = LeafOf(micro_batch);
  while (n > 1) {
    n /= 2;
    tree_[n] = Join(tree_[2 * n], tree_[2 * n + 1]);
  }
}

}  // namespace octopipe
