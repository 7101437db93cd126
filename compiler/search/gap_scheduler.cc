#include "compiler/search/gap_scheduler.h"

#include <algorithm>
#include <limits>

namespace octopipe {
namespace {

constexpr Nanos kNoEnd = std::numeric_limits<Nanos>::max();

}  // namespace

Nanos GapScheduler::Place(int device, Nanos earliest, Nanos duration) {
  std::vector<Gap>& gaps = gaps_[device];
  // The first gap that ends behind the item if it starts at once.
  auto gap =
      std::lower_bound(gaps.begin(), gaps.end(), earliest + duration,
                       [](const Gap& g, Nanos end) { return g.end < end; });
  Nanos start = std::max(gap->begin, earliest);
  while (start + duration > gap->end) {
    ++gap;
    start = std::max(gap->begin, earliest);
  }
  const Nanos end = start + duration;
  const bool before = start - gap->begin >= shortest_[device];
  const bool behind = gap->end - end >= shortest_[device];
  if (before && behind) {
    const Gap rest = {end, gap->end};
    gap->end = start;
    gaps.insert(gap + 1, rest);
  } else if (before) {
    gap->end = start;
  } else if (behind) {
    gap->begin = end;
  } else {
    gaps.erase(gap);
  }
  return start;
}

void GapScheduler::Offer(int s) {
  const TaskGraph& graph = *graph_;
  const TaskGraph::Slot& slot = graph.slots[s];
  const int m = next_[s];
  if (offered_[s] != 0 || m == graph.micro_batches) return;
  if (missing_[static_cast<size_t>(s) * graph.micro_batches + m] > 0) return;
  if (window_[s] > 0 && next_[slot.partner] + window_[s] <= m) return;
  offered_[s] = 1;
  heads_.push_back({keys_[slot.task * graph.micro_batches + m], s});
  std::push_heap(heads_.begin(), heads_.end());
}

Nanos GapScheduler::Run(absl::Span<const int64_t> keys,
                        absl::Span<const int> windows) {
  const TaskGraph& graph = *graph_;
  const size_t micro_batches = graph.micro_batches;
  const size_t slots = graph.slots.size();
  keys_ = keys;
  window_.assign(slots, 0);
  shortest_.assign(graph.devices, kNoEnd);
  missing_.resize(slots * micro_batches);
  for (size_t s = 0; s < slots; ++s) {
    const TaskGraph::Slot& slot = graph.slots[s];
    if (!slot.used) continue;
    if (slot.begins && !windows.empty()) window_[s] = windows[slot.task / 3];
    Nanos& shortest = shortest_[slot.device];
    shortest = std::min(shortest, std::max<Nanos>(1, slot.duration_ns));
    std::fill_n(missing_.begin() + s * micro_batches, micro_batches,
                slot.inputs);
  }
  gaps_.resize(graph.devices);
  for (std::vector<Gap>& gaps : gaps_) gaps.assign(1, {0, kNoEnd});
  next_.assign(slots, 0);
  end_.assign(slots, 0);
  ready_.assign(slots * micro_batches, 0);
  offered_.assign(slots, 0);
  starts_.assign(slots * micro_batches, 0);
  heads_.clear();
  for (size_t s = 0; s < slots; ++s) {
    if (graph.slots[s].used) Offer(static_cast<int>(s));
  }
  Nanos last = 0;
  size_t placed = 0;
  while (!heads_.empty()) {
    const int s = heads_.front().slot;
    std::pop_heap(heads_.begin(), heads_.end());
    heads_.pop_back();
    offered_[s] = 0;
    const TaskGraph::Slot& slot = graph.slots[s];
    const size_t m = next_[s]++;
    // The micro-batches of a task stay in turn.
    Nanos earliest = std::max(ready_[s * micro_batches + m], end_[s]);
    if (window_[s] > 0 && m >= static_cast<size_t>(window_[s])) {
      const TaskGraph::Slot& partner = graph.slots[slot.partner];
      earliest = std::max(
          earliest, starts_[partner.task * micro_batches + m - window_[s]] +
                        partner.duration_ns);
    }
    const Nanos start = Place(slot.device, earliest, slot.duration_ns);
    const Nanos end = start + slot.duration_ns;
    starts_[slot.task * micro_batches + m] = start;
    end_[s] = end;
    last = std::max(last, end);
    ++placed;
    for (int o = slot.output_begin; o < slot.output_end; ++o) {
      const TaskGraph::Output& output = graph.outputs[o];
      const size_t item = output.consumer * micro_batches + m;
      ready_[item] =
          std::max(ready_[item], end + output.transfer_ns + output.latency_ns);
      if (--missing_[item] == 0) Offer(output.consumer);
    }
    if (slot.partner >= 0 && window_[slot.partner] > 0) Offer(slot.partner);
    Offer(s);
  }
  return placed == graph.items ? last : -1;
}

}  // namespace octopipe
