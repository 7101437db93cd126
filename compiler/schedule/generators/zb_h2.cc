// ZB-H2: more forwards first, so that no device idles between its first and its
// last item where F, B and W take equally long.
//
//   time →                  (B input gradient, W weight gradient)
// 0 |F0 F1 F2 F3 F4 B0 W0 F5 B1 W1 B2 W2 B3 W3 B4 W4 B5 W5  .  .
// 1 | . F0 F1 F2 B0 F3 B1 F4 B2 W0 F5 B3 W1 B4 W2 B5 W3 W4 W5  .
// 2 | .  . F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 W0 F5 B5 W1 W2 W3 W4 W5
//
// Qi et al., "Zero Bubble Pipeline Parallelism", 2024, arXiv 2401.10241. Device
// d of D runs 2(D − d) − 1 forwards first and keeps its weight gradients 2d
// micro-batches behind, so that every device holds at most 2D − 1
// micro-batches. Consecutive stages of one device run as one.

#include <vector>

#include "compiler/schedule/generators/alternate.h"
#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"

namespace octopipe {

absl::Status CheckZbH2(const StageTable& table) {
  return FitOneSlot(table, "zb-h2").status();
}

Order GenerateZbH2(const StageTable& table) {
  const SlotLayout layout = *FitOneSlot(table, "zb-h2");
  std::vector<std::vector<WorkItem>> programs;
  for (int r = 0; r < layout.ranks(); ++r) {
    programs.push_back(AlternateSplit(r, table.micro_batches,
                                      2 * (layout.ranks() - r) - 1, 2 * r));
  }
  return ExpandSlots(table, layout, programs);
}

}  // namespace octopipe
