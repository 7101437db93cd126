#include "compiler/bounds/device_types.h"

#include <algorithm>

#include "compiler/schedule/stage_table.h"

namespace octopipe {

std::vector<DeviceType> DeviceTypes(const Problem& problem) {
  std::vector<DeviceType> types;
  for (const Device& device : problem.devices) {
    auto alike = [&](const DeviceType& type) {
      const Device& example = *type.example;
      if (example.memory_bytes != device.memory_bytes) return false;
      if (example.kind == device.kind &&
          example.speed_permille == device.speed_permille) {
        return true;
      }
      return std::all_of(problem.layers.begin(), problem.layers.end(),
                         [&](const Layer& layer) {
                           return TimesOn(layer.cost, example) ==
                                  TimesOn(layer.cost, device);
                         });
    };
    auto found = std::find_if(types.begin(), types.end(), alike);
    if (found == types.end()) found = types.insert(found, {&device, 0});
    ++found->devices;
  }
  return types;
}

}  // namespace octopipe
