// ZB-H1: 1F1B with backwards split; weight gradients fill what 1F1B idles.
//
//   time →                  (B input gradient, W weight gradient)
// 0 |F0 F1 F2  .  . B0 W0 F3 B1 W1 F4 B2 W2 B3 W3 B4 W4
// 1 | . F0 F1  . B0 F2 B1 W0 F3 B2 W1 F4 B3 W2 B4 W3 W4
// 2 | .  . F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 F4 B4 W2 W3 W4
//
// Qi et al., "Zero Bubble Pipeline Parallelism", 2024, arXiv 2401.10241. Device
// d of D runs D − d forwards first and keeps its weight gradients d
// micro-batches behind, so that every device holds at most D micro-batches: as
// many as the first device under 1F1B. Consecutive stages of one device run as
// one.

#include <vector>

#include "compiler/schedule/generators/alternate.h"
#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"

namespace octopipe {

absl::Status CheckZbH1(const StageTable& table) {
  return FitOneSlot(table, "zb-h1").status();
}

Order GenerateZbH1(const StageTable& table) {
  const SlotLayout layout = *FitOneSlot(table, "zb-h1");
  std::vector<std::vector<WorkItem>> programs;
  for (int r = 0; r < layout.ranks(); ++r) {
    programs.push_back(
        AlternateSplit(r, table.micro_batches, layout.ranks() - r, r));
  }
  return ExpandSlots(table, layout, programs);
}

}  // namespace octopipe
