// Interleaved 1F1B: several chunks of the model a device, so that the pipeline
// fills and drains in smaller steps.
//
//   time →                  (lower case: second chunk)
// 0 |F0 F1 f0 f1 F2  . b0 == F3 b1 == f2 B0 == f3 B1 ==  . b2 ==  . b3 == B2 ==
// B3 == 1 | . F0 F1 f0 b0 == f1 b1 == F2 B0 == F3 B1 == f2 b2 == f3 b3 == B2 ==
// B3 ==  .  .
//
// Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
// Clusters Using Megatron-LM", 2021, arXiv 2104.04473. Micro-batches go in
// groups of D: a group's forwards run through a device's chunks first to last,
// its backwards last to first. Device d of D with v chunks runs 2(D − d − 1) +
// (v − 1)D forwards before it alternates; with one chunk, D − d − 1 (1F1B).
//
// The paper wants M to be a multiple of D, and v equal on all devices. Here the
// last group is filled up and slots are left empty, and what does not exist is
// left out of the order (slot_layout.h).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"

namespace octopipe {
namespace {

// One direction of a device's work: the items that exist and their positions
// among all that the regular layout has, ascending.
struct Steps {
  std::vector<int64_t> positions;
  std::vector<WorkItem> items;
};

// Group by group, through the chunks in the order of `slots`. All of them are
// on one rank.
Steps GroupedSteps(const LoopLayout& layout, const std::vector<int>& slots,
                   int micro_batches, WorkKind kind) {
  const int size = layout.ranks();  // of a group
  Steps steps;
  for (int64_t first = 0; first < micro_batches; first += size) {
    const int64_t end = std::min<int64_t>(first + size, micro_batches);
    for (int slot : slots) {
      const int chunk = layout.places[slot].chunk;
      const int step =
          kind == WorkKind::kForward ? chunk : layout.chunks - 1 - chunk;
      for (int64_t m = first; m < end; ++m) {
        steps.positions.push_back(first * layout.chunks + int64_t{step} * size +
                                  (m - first));
        steps.items.push_back({kind, -1, slot, static_cast<int32_t>(m)});
      }
    }
  }
  return steps;
}

// The backward at position p follows the forward at position p + warmup.
std::vector<WorkItem> Interleave(const Steps& forwards, const Steps& backwards,
                                 int64_t warmup) {
  std::vector<WorkItem> program;
  program.reserve(forwards.items.size() + backwards.items.size());
  size_t f = 0;
  for (size_t b = 0; b < backwards.items.size(); ++b) {
    while (f < forwards.items.size() &&
           forwards.positions[f] <= backwards.positions[b] + warmup) {
      program.push_back(forwards.items[f++]);
    }
    program.push_back(backwards.items[b]);
  }
  return program;
}

}  // namespace

absl::Status CheckInterleaved(const StageTable& table) {
  return absl::OkStatus();
}

Order GenerateInterleaved(const StageTable& table) {
  const LoopLayout layout = FitLoop(table);
  const int ranks = layout.ranks();
  std::vector<std::vector<int>> slots_of(ranks);
  for (int slot = 0; slot < static_cast<int>(layout.places.size()); ++slot) {
    slots_of[layout.places[slot].rank].push_back(slot);
  }
  std::vector<std::vector<WorkItem>> programs;
  for (int r = 0; r < ranks; ++r) {
    std::vector<int>& slots = slots_of[r];
    const Steps forwards =
        GroupedSteps(layout, slots, table.micro_batches, WorkKind::kForward);
    std::reverse(slots.begin(), slots.end());
    const Steps backwards =
        GroupedSteps(layout, slots, table.micro_batches, WorkKind::kBackward);
    const int64_t behind = ranks - 1 - r;
    const int64_t warmup = layout.chunks > 1
                               ? 2 * behind + int64_t{layout.chunks - 1} * ranks
                               : behind;
    programs.push_back(Interleave(forwards, backwards, warmup));
  }
  return ExpandSlots(table, layout, programs);
}

}  // namespace octopipe
