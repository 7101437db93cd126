#include "compiler/search/placement_moves.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/search/priority_weights.h"

namespace octopipe {

bool MovePlacement(int devices, std::mt19937_64& random, TunerState* state) {
  std::vector<int>& device = state->placement.device;
  const int stages = static_cast<int>(device.size());
  int a = static_cast<int>(Below(random, stages));
  int b = static_cast<int>(Below(random, stages));
  if (a > b) std::swap(a, b);
  const auto first = device.begin() + a;
  const auto end = device.begin() + b + 1;
  switch (Below(random, 8)) {
    case 0:
    case 1: {
      const int to = static_cast<int>(Below(random, devices));
      if (*first == to) return false;
      *first = to;
      return true;
    }
    case 2:
      if (b - a < 2) return false;
      std::reverse(first, end);
      return true;
    case 3:
      if (b - a < 2) return false;
      if (Below(random, 2) == 0) {
        std::rotate(first, first + 1, end);
      } else {
        std::rotate(first, end - 1, end);
      }
      return true;
    case 4:
      // Neighbours.
      b = std::min(a + 1, stages - 1);
      [[fallthrough]];
    default:
      if (device[a] == device[b]) return false;
      std::swap(device[a], device[b]);
      return true;
  }
}

}  // namespace octopipe
