#include "compiler/simulator/memory_banker.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "compiler/simulator/random_instance.h"
#include "compiler/simulator/work_dag.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

// The rule as it is stated, over all micro-batches.
class PlainBanker {
 public:
  PlainBanker(const StageTable& table, const std::vector<int>& ops,
              Bytes capacity)
      : capacity_(capacity),
        done_(table.micro_batches, std::vector<bool>(ops.size(), false)),
        held_(table.micro_batches, 0) {
    for (int op : ops) {
      effects_.push_back(
          MemoryEffectOf(table.stages[op / 4], static_cast<WorkKind>(op % 4)));
    }
  }

  bool Admits(int index, int micro_batch) {
    if (Held() + effects_[index].rise > capacity_) return false;
    Set(index, micro_batch, true);
    const bool safe = IsSafe();
    Set(index, micro_batch, false);
    return safe;
  }

  void Run(int index, int micro_batch) { Set(index, micro_batch, true); }

  bool IsSafe() const {
    Bytes held = 0;  // by this micro-batch and the younger
    for (size_t i = done_.size(); i-- > 0;) {
      held += held_[i];
      Bytes need = 0;
      Bytes level = 0;
      bool finished = true;
      for (size_t op = 0; op < effects_.size(); ++op) {
        if (done_[i][op]) continue;
        finished = false;
        need = std::max(need, level + effects_[op].rise);
        level += effects_[op].kept;
      }
      if (!finished && capacity_ - held - need < 0) return false;
    }
    return true;
  }

 private:
  Bytes Held() const {
    return std::accumulate(held_.begin(), held_.end(), Bytes{0});
  }

  void Set(int index, int micro_batch, bool done) {
    done_[micro_batch][index] = done;
    held_[micro_batch] += (done ? 1 : -1) * effects_[index].kept;
  }

  const Bytes capacity_;
  std::vector<MemoryEffect> effects_;
  std::vector<std::vector<bool>> done_;
  std::vector<Bytes> held_;
};

// One device runs all in a random order, from nearly no room to spare to room
// for hundreds of micro-batches.
TEST(MemoryBanker, DecidesAsTheRuleIsStatedAndNeverGetsStuck) {
  std::mt19937_64 random(1);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    StageTable table = RandomTable({4, 1, 1, i % 2 == 0}, random);
    table.micro_batches = i % 3 == 0 ? 150 : 20;
    const std::vector<bool> splits(table.num_stages(), Below(random, 2) == 0);
    const std::vector<int> ops = OneMicroBatchAlone(table, splits);
    const Bytes need = MemoryBanker(table, ops, 0).NeedOfOne();
    const Bytes capacity = need + need * Below(random, table.micro_batches);
    MemoryBanker banker(table, ops, capacity);
    PlainBanker plain(table, ops, capacity);
    // Each op runs for one micro-batch after the other, and each micro-batch
    // its ops in order: as it is with one device and a chain.
    std::vector<int> next(ops.size(), 0);
    const int64_t total = ops.size() * table.micro_batches;
    // Prefer some op for a while, so that the window grows wide.
    size_t favourite = 0;
    for (int64_t ran = 0; ran < total;) {
      const bool compare = ran % 11 == 0;
      if (Below(random, 100) == 0) favourite = Below(random, ops.size());
      std::vector<size_t> admitted;
      for (size_t op = 0; op < ops.size(); ++op) {
        const int limit = op == 0 ? table.micro_batches : next[op - 1];
        if (next[op] >= limit) continue;
        const bool admits = banker.Admits(op, next[op]);
        if (compare) {
          ASSERT_EQ(admits, plain.Admits(op, next[op]));
        }
        if (admits) admitted.push_back(op);
        if (!admits) ++refused;
      }
      ASSERT_FALSE(admitted.empty());
      size_t chosen = admitted[Below(random, admitted.size())];
      for (size_t op : admitted) {
        if (op == favourite) chosen = op;
      }
      banker.Run(chosen, next[chosen]);
      plain.Run(chosen, next[chosen]);
      ++next[chosen];
      ++ran;
      if (compare) {
        ASSERT_TRUE(plain.IsSafe());
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

// A frozen encoder (stage 0) frees its activations before the rest begins.
TEST(OneMicroBatchAlone, RunsGradientsAsSoonAsTheyCan) {
  StageTable table;
  table.micro_batches = 1;
  table.stages.resize(3);
  table.edges.resize(2);
  table.edges[0].from = 0;
  table.edges[0].to = 1;
  table.edges[0].needs_grad = false;
  table.edges[1].from = 1;
  table.edges[1].to = 2;
  table.in_edges = {{}, {0}, {1}};
  EXPECT_EQ(OneMicroBatchAlone(table, {false, true, false}),
            (std::vector<int>{
                OpOf(WorkKind::kForward, 0), OpOf(WorkKind::kBackward, 0),
                OpOf(WorkKind::kForward, 1), OpOf(WorkKind::kForward, 2),
                OpOf(WorkKind::kBackward, 2), OpOf(WorkKind::kInputGradient, 1),
                OpOf(WorkKind::kWeightGradient, 1)}));
}

}  // namespace
}  // namespace octopipe
