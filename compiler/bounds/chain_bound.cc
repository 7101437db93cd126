// Chain: one micro-batch through the model and back.
//
// For any layer l, a micro-batch runs F along the longest chain of layers that
// ends in l (head_ns), F and B of l, and B along the longest chain back
// (tail_ns), the last layer of which still has its W; each after the one before
// it (layer_floor.h), each no faster than on the device that is best for it.
// The chain runs in items, at least a forward and a backward, that start with
// their overhead. Layers of one device hand over for free, so links add
// nothing.

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/layer_floor.h"

namespace octopipe {

Bound ChainBound(const Problem& problem) {
  const std::vector<LayerFloor> floors = LayerFloors(problem);
  Bound bound{BoundKind::kChain, -1, "", ""};
  for (size_t l = 0; l < floors.size(); ++l) {
    const LayerFloor& floor = floors[l];
    const Nanos forward = floor.head_ns + floor.parts.f_ns;
    const Nanos back =
        floor.parts.b_ns + std::max(floor.parts.w_ns, floor.tail_ns);
    const Nanos ns = forward + back + 2 * problem.launch_overhead_ns;
    if (ns <= bound.ns) continue;
    bound.ns = ns;
    bound.certificate = absl::StrCat(
        "one micro-batch: ", NanosText(forward), " forward to layer '",
        problem.layers[l].name, "' and ", NanosText(back), " back");
  }
  return bound;
}

}  // namespace octopipe
