// The order in which the layers of a model can begin, and the layer at which
// its micro-batches turn around.

#ifndef OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_
#define OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_

#include <vector>

#include "compiler/base/units.h"
#include "compiler/bounds/layer_floor.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

struct LayerOrder {
  std::vector<LayerFloor> floors;  // of each layer
  // The layers by number: ascending by head, then by tail, then by index.
  std::vector<int> layers;
  // The least tail of all layers from each number on.
  std::vector<Nanos> least_tail;
  // The layer in the middle of the longest chain there and back.
  int turn = 0;
  // Of each layer, whether its B waits for that of the turn, directly or not;
  // so the turn's F waits for its F. True of the turn, too.
  std::vector<bool> is_early;

  int first() const { return layers[0]; }
  Nanos HeadOf(int number) const { return floors[layers[number]].head_ns; }
};

LayerOrder OrderLayers(const Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_LAYER_ORDER_H_
