#include "compiler/bounds/layer_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

// Of each layer, when its B can begin.
std::vector<Nanos> BackwardStarts(const Problem& problem,
                                  const std::vector<LayerFloor>& floors) {
  std::vector<Nanos> start(floors.size(), 0);
  for (int l = static_cast<int>(floors.size()) - 1; l >= 0; --l) {
    const LayerFloor& floor = floors[l];
    start[l] = std::max(start[l], floor.head_ns + floor.parts.f_ns);
    for (int input : problem.layers[l].inputs) {
      if (!problem.layers[input].needs_grad) continue;
      start[input] = std::max(start[input], start[l] + floor.parts.b_ns);
    }
  }
  return start;
}

// Of each layer, the longest chain after its F.
std::vector<Nanos> Rests(const Problem& problem,
                         const std::vector<LayerFloor>& floors) {
  std::vector<Nanos> rest(floors.size(), 0);
  for (int l = static_cast<int>(floors.size()) - 1; l >= 0; --l) {
    const LayerFloor& floor = floors[l];
    rest[l] = std::max(
        rest[l], floor.parts.b_ns + std::max(floor.parts.w_ns, floor.tail_ns));
    for (int input : problem.layers[l].inputs) {
      rest[input] = std::max(rest[input], floor.parts.f_ns + rest[l]);
    }
  }
  return rest;
}

std::vector<bool> EarlyLayers(const Problem& problem, int turn) {
  std::vector<bool> is_early(problem.layers.size(), false);
  is_early[turn] = true;
  for (int l = turn; l >= 0; --l) {
    if (!is_early[l]) continue;
    for (int input : problem.layers[l].inputs) {
      if (problem.layers[input].needs_grad) is_early[input] = true;
    }
  }
  return is_early;
}

}  // namespace

LayerOrder OrderLayers(const Problem& problem, Numbering numbering) {
  LayerOrder order;
  order.floors = LayerFloors(problem);
  order.turn = FindTurn(order.floors);
  order.is_early = EarlyLayers(problem, order.turn);
  const std::vector<LayerFloor>& floors = order.floors;
  const std::vector<Nanos> backward = BackwardStarts(problem, floors);
  const std::vector<Nanos> rest = Rests(problem, floors);

  const int count = static_cast<int>(floors.size());
  auto key = [&](int l) {
    return numbering == Numbering::kByHead
               ? std::make_pair(floors[l].head_ns, floors[l].tail_ns)
               : std::make_pair(backward[l], rest[l]);
  };
  order.layers.resize(count);
  std::iota(order.layers.begin(), order.layers.end(), 0);
  std::stable_sort(order.layers.begin(), order.layers.end(),
                   [&](int a, int b) { return key(a) < key(b); });

  Nanos least_head = LayerOrder::kNever, least_tail = LayerOrder::kNever;
  Nanos least_backward = LayerOrder::kNever, least_rest = LayerOrder::kNever;
  for (std::vector<Nanos>* of_number :
       {&order.head, &order.tail, &order.backward, &order.rest}) {
    of_number->resize(count);
  }
  for (int j = count - 1; j >= 0; --j) {
    const int l = order.layers[j];
    order.head[j] = least_head = std::min(least_head, floors[l].head_ns);
    order.tail[j] = least_tail = std::min(least_tail, floors[l].tail_ns);
    if (order.is_early[l] && l != order.turn) {
      least_backward = std::min(least_backward, backward[l]);
      least_rest = std::min(least_rest, rest[l]);
    }
    order.backward[j] = least_backward;
    order.rest[j] = least_rest;
  }
  return order;
}

}  // namespace octopipe
