// Who may take memory, so that everybody can finish: the banker's rule, for the
// micro-batches of a pipeline.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_MEMORY_BANKER_H_
#define OCTOPIPE_COMPILER_SIMULATOR_MEMORY_BANKER_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/simulator/memory_timeline.h"

namespace octopipe {

// The ops (see OpOf) of one micro-batch that runs alone, in the order that the
// banker counts on: forwards by stage; each gradient as soon as it can run, W
// right behind it. For a chain no other order has a lower peak anywhere.
// `splits[s]`: whether the backward of stage s is split.
std::vector<int> OneMicroBatchAlone(const StageTable& table,
                                    const std::vector<bool>& splits);

// The activations of one device with limited memory.
//
// Let held(i) be what micro-batch i holds here, and need(i) the most that it
// will hold on top of that when the rest of its items here run in the order of
// OneMicroBatchAlone. The device is safe if for every i with items left
//
//   slack(i) = capacity − Σ_{j ≥ i} held(j) − need(i) ≥ 0:
//
// then the micro-batches can finish one after another, the oldest first, each
// with what those before it have given back.
//
// Claim: if every device is safe, nothing runs, nothing travels and work is
// left, then some item can run, is admitted, and leaves its device safe. Proof:
// let i be the oldest micro-batch with work left and x the first of its items
// left, in the order of OneMicroBatchAlone. That order keeps the data flow, so
// the tensors of x are there. Older micro-batches hold nothing, so all that is
// held on x's device is Σ_{j ≥ i} held(j), and x needs at most need(i) on top:
// it fits. Afterwards slack(i) has not fallen, for x was the first that need(i)
// counted; and no slack counts with an older micro-batch. An item that takes
// nothing when it ends (B, W, BW) lowers no slack whenever it runs.
class MemoryBanker {
 public:
  // `capacity` is without the static bytes. `ops` are the device's, in the
  // order of OneMicroBatchAlone.
  MemoryBanker(const StageTable& table, const std::vector<int>& ops,
               Bytes capacity);

  // The peak of one micro-batch alone. Nothing below holds unless the capacity
  // is at least this.
  Bytes NeedOfOne() const { return need_of_one_; }

  // Whether op number `index` of this device may run for `micro_batch`: it fits
  // now, and the device is safe afterwards. O(log window + ops), where the
  // window is from the oldest micro-batch with items left to the newest begun.
  bool Admits(int index, int micro_batch);

  // It runs: from now on its memory counts as if it had ended. (The device is
  // not asked again before.)
  void Run(int index, int micro_batch);

 private:
  // Of a range of micro-batches: what it holds, and the least of -need(i) less
  // what is held from i to the end of the range.
  struct Node {
    Bytes held = 0;
    Bytes slack = 0;
  };
  static constexpr int kNothing = -1;
  static Node Join(const Node& older, const Node& younger);

  // Without the op `but_for`, unless it is kNothing.
  Bytes NeedOf(int micro_batch, int but_for) const;
  Node LeafOf(int micro_batch) const;
  // Brings the tree up to date and lets it cover the window and `micro_batch`.
  void Refresh(int micro_batch);
  void Rebuild(int newest);
  int micro_batches_;
  Bytes capacity_;
  std::vector<MemoryEffect> effects_;  // of each op
  Bytes need_of_one_ = 0;

  Bytes held_ = 0;  // by all
  std::vector<Bytes> held_by_;
  std::vector<int> items_left_;
  // The ops left of each micro-batch, one bit each, in words_ words.
  int words_ = 0;
  std::vector<uint64_t> left_;
  int oldest_ = 0;   // with items left
  int newest_ = -1;  // begun
  // Segment tree over the micro-batches first_ .. first_ + leaves_ − 1, right
  // but for those in stale_, which have run an item since.
  int first_ = 0;
  int leaves_ = 0;
  std::vector<Node> tree_;
  std::vector<int> stale_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_MEMORY_BANKER_H_
