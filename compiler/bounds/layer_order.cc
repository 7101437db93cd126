#include "compiler/bounds/layer_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace octopipe {
namespace {

int FindTurn(const std::vector<LayerFloor>& floors) {
  int turn = 0;
  Nanos longest = -1;
  for (size_t l = 0; l < floors.size(); ++l) {
    const LayerFloor& floor = floors[l];
    const Nanos chain = floor.head_ns + floor.parts.f_ns + floor.parts.b_ns +
                        std::max(floor.parts.w_ns, floor.tail_ns);
    if (chain < longest) continue;
    longest = chain;
    turn = static_cast<int>(l);
  }
  return turn;
}

}  // namespace

LayerOrder OrderLayers(const Problem& problem) {
  LayerOrder order;
  order.floors = LayerFloors(problem);
  const std::vector<LayerFloor>& floors = order.floors;
  const int count = static_cast<int>(floors.size());
  order.layers.resize(count);
  std::iota(order.layers.begin(), order.layers.end(), 0);
  std::stable_sort(order.layers.begin(), order.layers.end(), [&](int a, int b) {
    return std::tie(floors[a].head_ns, floors[a].tail_ns) <
           std::tie(floors[b].head_ns, floors[b].tail_ns);
  });
  order.least_tail.resize(count);
  Nanos least = floors[order.layers.back()].tail_ns;
  for (int j = count - 1; j >= 0; --j) {
    least = std::min(least, floors[order.layers[j]].tail_ns);
    order.least_tail[j] = least;
  }
  order.turn = FindTurn(floors);
  order.is_early.assign(count, false);
  order.is_early[order.turn] = true;
  for (int l = order.turn; l >= 0; --l) {
    if (!order.is_early[l]) continue;
    for (int input : problem.layers[l].inputs) {
      if (problem.layers[input].needs_grad) order.is_early[input] = true;
    }
  }
  return order;
}

}  // namespace octopipe
