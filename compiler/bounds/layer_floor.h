// What each layer costs at least, and what must run before and after it: the
// relaxation that all bounds share.
//
// Any plan, seen layer by layer, is a schedule in which
//  - each layer has, for each micro-batch, a part F, a part B and a part W on
//    its one device, where parts do not overlap. A stage's item is its launch
//    overhead followed by the parts of its layers: F in their order, B in the
//    reverse, and W after B. Where a layer's backward may not be split, its
//    stage runs whole backwards, and its W counts as the end of its B;
//  - F of a layer comes after F of its inputs; B after its own F and after B of
//    the consumers of its output, where that needs a gradient; W after B.
// Stages add precedence and transfers add time, so what no such schedule beats,
// no plan beats.

#ifndef OCTOPIPE_COMPILER_BOUNDS_LAYER_FLOOR_H_
#define OCTOPIPE_COMPILER_BOUNDS_LAYER_FLOOR_H_

#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Durations of a layer's parts for one micro-batch. Of a backward that may not
// be split w_ns is 0 and b_ns all of it.
struct LayerParts {
  Nanos f_ns = 0;
  Nanos b_ns = 0;
  Nanos w_ns = 0;

  Nanos total_ns() const { return f_ns + b_ns + w_ns; }
};

LayerParts PartsOn(const Layer& layer, const Device& device);

struct LayerFloor {
  // Each part on the device where it is fastest.
  LayerParts parts;
  // F and B, and all three, on the device where their sum is least.
  Nanos forward_backward_ns = 0;
  Nanos total_ns = 0;
  // No F of the layer starts earlier: the longest chain of F before it.
  Nanos head_ns = 0;
  // No micro-batch is done earlier than this after its B of the layer: the
  // longest chain of B that waits for it, with the last one's W.
  Nanos tail_ns = 0;
};

// One per layer. O(layers · devices + edges).
std::vector<LayerFloor> LayerFloors(const Problem& problem);

// Every plan has a device that starts a forward and a backward for each
// micro-batch; their overhead comes on top of all that the parts take.
inline Nanos LeastOverhead(const Problem& problem) {
  return 2 * problem.micro_batches * problem.launch_overhead_ns;
}

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_LAYER_FLOOR_H_
