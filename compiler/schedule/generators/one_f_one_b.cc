// 1F1B: each device runs a backward as soon as it can, so that device d of D
// holds the activations of at most D − d micro-batches.
//
//   time →
// 0 |F0 F1 F2  .  .  .  . B0 == F3 B1 == F4 B2 ==  . B3 ==  . B4 ==
// 1 | . F0 F1  .  . B0 == F2 B1 == F3 B2 == F4 B3 ==  . B4 ==  .  .
// 2 | .  . F0 B0 == F1 B1 == F2 B2 == F3 B3 == F4 B4 ==  .  .  .  .
//
// Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN
// Training", 2019 (1F1B), with the flush of Narayanan et al., "Memory-Efficient
// Pipeline-Parallel DNN Training", 2020, arXiv 2006.09503. Consecutive stages
// of one device run as one.

#include <vector>

#include "compiler/schedule/generators/alternate.h"
#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"

namespace octopipe {

absl::Status CheckOneFOneB(const StageTable& table) {
  return FitOneSlot(table, "1f1b").status();
}

Order GenerateOneFOneB(const StageTable& table) {
  const SlotLayout layout = *FitOneSlot(table, "1f1b");
  std::vector<std::vector<WorkItem>> programs;
  for (int r = 0; r < layout.ranks(); ++r) {
    programs.push_back(Alternate(r, table.micro_batches, layout.ranks() - r));
  }
  return ExpandSlots(table, layout, programs);
}

}  // namespace octopipe
