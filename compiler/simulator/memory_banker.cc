#include "compiler/simulator/memory_banker.h"

#include <algorithm>

#include "absl/numeric/bits.h"
#include "compiler/base/units.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// Above any slack, and far enough from overflow to be lowered by any sum.
constexpr Bytes kNoLimit = 2 * kMaxTotal;
constexpr int kFirstWindow = 64;

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
      words_(static_cast<int>(ops.size() + 63) / 64),
      left_(static_cast<size_t>(words_) * table.micro_batches, 0) {
  for (int op : ops) {
    effects_.push_back(
        MemoryEffectOf(table.stages[op / 4], static_cast<WorkKind>(op % 4)));
  }
  for (size_t word = 0; word < left_.size(); ++word) {
    const size_t first = word % words_ * 64;
    left_[word] = first + 64 <= ops.size()
                      ? ~uint64_t{0}
                      : (uint64_t{1} << (ops.size() - first)) - 1;
  }
  need_of_one_ = NeedOf(0, kNothing);
}

MemoryBanker::Node MemoryBanker::Join(const Node& older, const Node& younger) {
  return {older.held + younger.held,
          std::min(older.slack - younger.held, younger.slack)};
}

Bytes MemoryBanker::NeedOf(int micro_batch, int but_for) const {
  Bytes need = 0;
  Bytes level = 0;
  for (int word = 0; word < words_; ++word) {
    uint64_t left = left_[static_cast<size_t>(micro_batch) * words_ + word];
    for (; left != 0; left &= left - 1) {
      const int op = word * 64 + absl::countr_zero(left);
      if (op == but_for) continue;
      need = std::max(need, level + effects_[op].rise);
      level += effects_[op].kept;
    }
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
          -held - (untouched ? need_of_one_ : NeedOf(micro_batch, kNothing))};
}

void MemoryBanker::Refresh(int micro_batch) {
  const int newest = std::max(newest_, micro_batch);
  if (newest >= first_ + leaves_ ||
      static_cast<int>(stale_.size()) >= leaves_) {
    Rebuild(newest);
    return;
  }
  for (int stale : stale_) {
    int n = leaves_ + stale - first_;
    tree_[n] = LeafOf(stale);
    while (n > 1) {
      n /= 2;
      tree_[n] = Join(tree_[2 * n], tree_[2 * n + 1]);
    }
  }
  stale_.clear();
}

void MemoryBanker::Rebuild(int newest) {
  first_ = oldest_;
  leaves_ = std::max(leaves_, kFirstWindow);
  // At least half of the window is new, so that its cost is shared by as many
  // micro-batches.
  while (2 * (newest - first_) >= leaves_) leaves_ *= 2;
  tree_.resize(2 * leaves_);
  for (int i = 0; i < leaves_; ++i) tree_[leaves_ + i] = LeafOf(first_ + i);
  for (int n = leaves_ - 1; n > 0; --n) {
    tree_[n] = Join(tree_[2 * n], tree_[2 * n + 1]);
  }
  stale_.clear();
}

bool MemoryBanker::Admits(int index, int micro_batch) {
  const MemoryEffect& effect = effects_[index];
  if (held_ + effect.rise > capacity_) return false;
  if (effect.kept <= 0) return true;
  // What is done of a micro-batch never frees more than it took, so no need is
  // above that of a whole one.
  if (held_ + effect.kept + need_of_one_ <= capacity_) return true;
  Refresh(micro_batch);
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
  left_[static_cast<size_t>(micro_batch) * words_ + index / 64] &=
      ~(uint64_t{1} << index % 64);
  held_ += effects_[index].kept;
  held_by_[micro_batch] += effects_[index].kept;
  --items_left_[micro_batch];
  newest_ = std::max(newest_, micro_batch);
  while (oldest_ < micro_batches_ && items_left_[oldest_] == 0) ++oldest_;
  // As many as the tree has leaves mean that it will be built anew.
  if (static_cast<int>(stale_.size()) < leaves_ &&
      (stale_.empty() || stale_.back() != micro_batch)) {
    stale_.push_back(micro_batch);
  }
}

}  // namespace octopipe
