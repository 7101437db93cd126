#include "compiler/schedule/generators/v_block.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/schedule/generators/slot_layout.h"

namespace octopipe {
namespace {

constexpr int64_t kInterval = 6;

struct BlockTimes {
  std::vector<int64_t> forward;   // of each slot
  std::vector<int64_t> backward;  // of each slot
};

BlockTimes TimesOfBlock(const VBlock& block, int ranks) {
  const int last = ranks - 1;
  BlockTimes times;
  times.forward.resize(2 * ranks);
  times.backward.resize(2 * ranks);
  const int64_t down = int64_t{block.down} * last;
  const int64_t up = int64_t{block.up} * last;
  const int64_t turn = down + block.forward_turn;
  const int64_t loss = turn + up + block.loss_turn;
  const int64_t back = loss + down + block.backward_turn;
  for (int r = 0; r < ranks; ++r) {
    const int second = 2 * ranks - 1 - r;
    const int64_t from_first = int64_t{block.down} * r;
    const int64_t from_last = int64_t{block.up} * (last - r);
    times.forward[r] = from_first;
    times.forward[second] = turn + from_last;
    times.backward[second] = loss + from_first;
    times.backward[r] = back + from_last;
  }
  return times;
}

// Forwards and input gradients of rank `r` in the order of the repeated block.
std::vector<WorkItem> RepeatBlock(const BlockTimes& times, int r,
                                  int micro_batches) {
  std::vector<std::pair<int64_t, WorkItem>> timed;
  timed.reserve(4 * static_cast<size_t>(micro_batches));
  const int second = static_cast<int>(times.forward.size()) - 1 - r;
  for (int m = 0; m < micro_batches; ++m) {
    const int64_t start = kInterval * m;
    for (int slot : {r, second}) {
      timed.push_back({start + times.forward[slot], Forward(slot, m)});
      timed.push_back({start + times.backward[slot], InputGradient(slot, m)});
    }
  }
  std::sort(timed.begin(), timed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<WorkItem> items;
  items.reserve(timed.size());
  for (const auto& [time, item] : timed) items.push_back(item);
  return items;
}

// Runs all ranks in unit steps and inserts the weight gradients.
class WeightGradientFiller {
 public:
  WeightGradientFiller(std::vector<std::vector<WorkItem>> items,
                       int micro_batches, int max_slots)
      : micro_batches_(micro_batches), max_slots_(max_slots) {
    const size_t slots = 2 * items.size();
    forward_done_.assign(slots * micro_batches, false);
    backward_done_.assign(slots * micro_batches, false);
    for (std::vector<WorkItem>& of_rank : items) {
      ranks_.push_back({});
      ranks_.back().items = std::move(of_rank);
      ranks_.back().program.reserve(6 * static_cast<size_t>(micro_batches));
    }
  }

  std::vector<std::vector<WorkItem>> Fill() {
    std::vector<int> awake;
    for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
      awake.push_back(r);
    }
    // What runs in a unit depends on what ended before it, so marks are set
    // after all ranks have chosen, and only those that they concern wake.
    std::vector<WorkItem> ran;
    for (int64_t time = 1; !awake.empty(); ++time) {
      ran.clear();
      for (int r : awake) {
        if (Step(ranks_[r])) ran.push_back(ranks_[r].program.back());
      }
      awake.clear();
      for (const WorkItem& item : ran) {
        const int slot = item.stage;
        Wake(slot, time, awake);
        if (item.kind == WorkKind::kForward) {
          forward_done_[Index(item)] = true;
          if (slot + 1 < num_slots()) Wake(slot + 1, time, awake);
        } else if (item.kind == WorkKind::kInputGradient) {
          backward_done_[Index(item)] = true;
          if (slot > 0) Wake(slot - 1, time, awake);
        }
      }
    }
    std::vector<std::vector<WorkItem>> programs;
    for (Rank& rank : ranks_) programs.push_back(std::move(rank.program));
    return programs;
  }

 private:
  struct Rank {
    std::vector<WorkItem> items;    // forwards and input gradients
    size_t next = 0;                // of `items`
    std::vector<WorkItem> pending;  // weight gradients, from `first_pending`
    size_t first_pending = 0;
    int held = 0;
    int64_t woken = 0;
    std::vector<WorkItem> program;
  };

  int num_slots() const { return 2 * static_cast<int>(ranks_.size()); }

  size_t Index(const WorkItem& item) const {
    return static_cast<size_t>(item.stage) * micro_batches_ + item.micro_batch;
  }

  bool IsReady(const WorkItem& item) const {
    if (item.kind == WorkKind::kForward) {
      return item.stage == 0 || forward_done_[Index(item) - micro_batches_];
    }
    return item.stage + 1 == num_slots()
               ? forward_done_[Index(item)]
               : backward_done_[Index(item) + micro_batches_];
  }

  // Appends to the rank's program what it runs in this unit, if anything.
  bool Step(Rank& rank) const {
    if (rank.next < rank.items.size()) {
      const WorkItem& item = rank.items[rank.next];
      const bool is_forward = item.kind == WorkKind::kForward;
      if (IsReady(item) && (!is_forward || rank.held < max_slots_)) {
        ++rank.next;
        rank.program.push_back(item);
        if (is_forward) {
          ++rank.held;
        } else {
          rank.pending.push_back(WeightGradient(item.stage, item.micro_batch));
        }
        return true;
      }
    }
    if (rank.first_pending == rank.pending.size()) return false;
    rank.program.push_back(rank.pending[rank.first_pending++]);
    --rank.held;
    return true;
  }

  void Wake(int slot, int64_t time, std::vector<int>& awake) {
    const int r = std::min(slot, num_slots() - 1 - slot);
    if (ranks_[r].woken == time) return;
    ranks_[r].woken = time;
    awake.push_back(r);
  }

  int micro_batches_;
  int max_slots_;
  std::vector<bool> forward_done_;   // of each slot and micro-batch
  std::vector<bool> backward_done_;  // of each slot and micro-batch
  std::vector<Rank> ranks_;
};

}  // namespace

Order GenerateVSchedule(const StageTable& table, absl::string_view schedule,
                        VBlock (*block_of)(int ranks)) {
  const SlotLayout layout = *FitWave(table, schedule);
  const VBlock block = block_of(layout.ranks());
  const BlockTimes times = TimesOfBlock(block, layout.ranks());
  std::vector<std::vector<WorkItem>> items;
  for (int r = 0; r < layout.ranks(); ++r) {
    items.push_back(RepeatBlock(times, r, table.micro_batches));
  }
  WeightGradientFiller filler(std::move(items), table.micro_batches,
                              block.max_slots);
  return ExpandSlots(table, layout, filler.Fill());
}

}  // namespace octopipe
