// Where each item of a plan stands, and whether all of them are there.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_VERIFY_ITEM_INDEX_H_
#define OCTOPIPE_COMPILER_SCHEDULE_VERIFY_ITEM_INDEX_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/verify/stage_graph.h"

namespace octopipe {

struct ItemPlace {
  int32_t device = -1;  // -1: nowhere
  int32_t position = -1;

  bool exists() const { return device >= 0; }
};

// The first place of every compute item in an order.
class ItemIndex {
 public:
  ItemIndex(int stages, int64_t micro_batches)
      : stages_(stages),
        micro_batches_(micro_batches),
        places_(4 * static_cast<size_t>(stages) * micro_batches) {}

  // `kind` is a compute kind; stage and micro-batch are in range.
  ItemPlace& At(WorkKind kind, int64_t stage, int64_t micro_batch) {
    return places_[IndexOf(kind, stage, micro_batch)];
  }
  const ItemPlace& At(WorkKind kind, int64_t stage, int64_t micro_batch) const {
    return places_[IndexOf(kind, stage, micro_batch)];
  }

  // Whether `item`, at this place of its order, is indexed: invalid items and
  // repeats are not.
  bool Has(const WorkItem& item, int device, int64_t position) const {
    if (!IsCompute(item.kind) || item.slot != -1 || item.peer != -1 ||
        item.stage < 0 || item.stage >= stages_ || item.micro_batch < 0 ||
        item.micro_batch >= micro_batches_) {
      return false;
    }
    const ItemPlace& place = At(item.kind, item.stage, item.micro_batch);
    return place.device == device && place.position == position;
  }

  // The item that yields the input gradient: B, or else BW.
  const ItemPlace& InputGradientAt(int64_t stage, int64_t micro_batch) const {
    const ItemPlace& split = At(WorkKind::kInputGradient, stage, micro_batch);
    return split.exists() ? split : At(WorkKind::kBackward, stage, micro_batch);
  }

 private:
  size_t IndexOf(WorkKind kind, int64_t stage, int64_t micro_batch) const {
    return 4 * static_cast<size_t>(stage * micro_batches_ + micro_batch) +
           static_cast<size_t>(kind);
  }

  int stages_;
  int64_t micro_batches_;
  std::vector<ItemPlace> places_;
};

// Indexes `plan.order` and reports items that are invalid, repeated, missing or
// on the wrong device, and backwards that are mixed or may not be split.
ItemIndex IndexItems(const Problem& problem, const Plan& plan,
                     const std::vector<StageNode>& graph,
                     FindingList& findings);

// Calls `visit` with the place of everything that `item` needs to have ended
// and that exists: forwards of the producers, the own forward, gradients of the
// consumers, the own input gradient.
template <typename Visit>
void ForEachNeed(const ItemIndex& index, const std::vector<StageNode>& graph,
                 const WorkItem& item, const Visit& visit) {
  auto visit_existing = [&visit](const ItemPlace& place) {
    if (place.exists()) visit(place);
  };
  const StageNode& stage = graph[item.stage];
  const int32_t m = item.micro_batch;
  switch (item.kind) {
    case WorkKind::kForward:
      for (int producer : stage.producers) {
        visit_existing(index.At(WorkKind::kForward, producer, m));
      }
      break;
    case WorkKind::kWeightGradient:
      visit_existing(index.At(WorkKind::kInputGradient, item.stage, m));
      break;
    default:
      visit_existing(index.At(WorkKind::kForward, item.stage, m));
      for (int source : stage.gradient_sources) {
        visit_existing(index.InputGradientAt(source, m));
      }
  }
}

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_VERIFY_ITEM_INDEX_H_
