#include "compiler/bounds/layer_floor.h"

#include <algorithm>

#include "compiler/schedule/stage_table.h"

namespace octopipe {
namespace {

LayerFloor Fastest(const Layer& layer, const std::vector<Device>& devices) {
  LayerFloor floor;
  floor.parts = PartsOn(layer, devices[0]);
  floor.forward_backward_ns = floor.parts.f_ns + floor.parts.b_ns;
  floor.total_ns = floor.parts.total_ns();
  for (const Device& device : devices) {
    const LayerParts parts = PartsOn(layer, device);
    floor.parts.f_ns = std::min(floor.parts.f_ns, parts.f_ns);
    floor.parts.b_ns = std::min(floor.parts.b_ns, parts.b_ns);
    floor.parts.w_ns = std::min(floor.parts.w_ns, parts.w_ns);
    floor.forward_backward_ns =
        std::min(floor.forward_backward_ns, parts.f_ns + parts.b_ns);
    floor.total_ns = std::min(floor.total_ns, parts.total_ns());
  }
  return floor;
}

}  // namespace

LayerParts PartsOn(const Layer& layer, const Device& device) {
  const LayerTimes times = TimesOn(layer.cost, device);
  if (layer.cost.splittable) return {times.f_ns, times.b_ns, times.w_ns};
  return {times.f_ns, times.b_ns + times.w_ns, 0};
}

std::vector<LayerFloor> LayerFloors(const Problem& problem) {
  std::vector<LayerFloor> floors;
  floors.reserve(problem.layers.size());
  for (const Layer& layer : problem.layers) {
    LayerFloor floor = Fastest(layer, problem.devices);
    for (int input : layer.inputs) {
      const LayerFloor& before = floors[input];
      floor.head_ns =
          std::max(floor.head_ns, before.head_ns + before.parts.f_ns);
      if (!problem.layers[input].needs_grad) continue;
      floor.tail_ns = std::max(
          floor.tail_ns,
          before.parts.b_ns + std::max(before.parts.w_ns, before.tail_ns));
    }
    floors.push_back(floor);
  }
  return floors;
}

}  // namespace octopipe
