// Devices that are alike: which of them holds a layer makes no difference to
// what it takes.

#ifndef OCTOPIPE_COMPILER_BOUNDS_DEVICE_TYPES_H_
#define OCTOPIPE_COMPILER_BOUNDS_DEVICE_TYPES_H_

#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {

// Devices on which every layer takes the same time, with the same memory.
struct DeviceType {
  const Device* example = nullptr;  // in the problem
  int devices = 0;
};

// In the order of their first device. O(layers · devices · types).
std::vector<DeviceType> DeviceTypes(const Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_DEVICE_TYPES_H_
