// The order in which the layers of a model can begin, and the layer at which
// its micro-batches turn around.

#ifndef OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_
#define OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/bounds/layer_floor.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// What layers are numbered by: so that the device with the j-th first layer has
// none that is before the j-th.
enum class Numbering {
  kByHead,      // when F can begin, then the tail
  kByBackward,  // when B can begin, then what must follow F
};

struct LayerOrder {
  std::vector<LayerFloor> floors;  // of each layer
  // The layer in the middle of the longest chain there and back.
  int turn = 0;
  // Of each layer, whether its B waits for that of the turn, directly or not;
  // so the turn's F waits for its F. True of the turn, too.
  std::vector<bool> is_early;

  std::vector<int> layers;  // by number
  // Of all layers from each number on, the least head and the least tail.
  std::vector<Nanos> head;
  std::vector<Nanos> tail;
  // Of all early layers but the turn from each number on, kNever if there are
  // none: the least time at which B can begin, the longest chain of F and B
  // before it; and the least that must follow after F.
  static constexpr Nanos kNever = int64_t{1} << 61;
  std::vector<Nanos> backward;
  std::vector<Nanos> rest;

  int first() const { return layers[0]; }
};

LayerOrder OrderLayers(const Problem& problem, Numbering numbering);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_
