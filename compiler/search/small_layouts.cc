#include "compiler/search/small_layouts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace octopipe {
namespace {

bool IsChain(const Problem& problem) {
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    const std::vector<int> before =
        l == 0 ? std::vector<int>() : std::vector<int>{static_cast<int>(l) - 1};
    if (layer.inputs != before || !layer.needs_grad) return false;
  }
  return true;
}

// equal[a][b]: nothing changes if a and b trade places.
std::vector<std::vector<bool>> EqualDevices(const Problem& problem) {
  const int devices = static_cast<int>(problem.devices.size());
  std::map<std::pair<int, int>, std::pair<Nanos, int64_t>> links;
  for (const Link& link : problem.links) {
    links[{link.from, link.to}] = {link.latency_ns, link.bytes_per_us};
  }
  std::vector<std::vector<bool>> equal(devices, std::vector<bool>(devices));
  for (int a = 0; a < devices; ++a) {
    for (int b = 0; b < devices; ++b) {
      const Device& one = problem.devices[a];
      const Device& other = problem.devices[b];
      auto traded = links;
      traded.clear();
      auto trade = [&](int d) { return d == a ? b : d == b ? a : d; };
      for (const auto& [ends, costs] : links) {
        traded[{trade(ends.first), trade(ends.second)}] = costs;
      }
      equal[a][b] =
          one.kind == other.kind && one.memory_bytes == other.memory_bytes &&
          one.speed_permille == other.speed_permille && traded == links;
    }
  }
  return equal;
}

}  // namespace

int64_t CountLayouts(const Problem& problem, int64_t most) {
  const int64_t devices = static_cast<int64_t>(problem.devices.size());
  int64_t count = devices;
  for (size_t l = 1; l < problem.layers.size() && count < most; ++l) {
    count *= devices + 1;
  }
  return std::min(count, most);
}

std::vector<SmallLayout> AllLayouts(const Problem& problem,
                                    const SpaceFilter* space) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  const auto equal = EqualDevices(problem);
  const bool finest =
      space == nullptr && problem.launch_overhead_ns == 0 && IsChain(problem);
  std::vector<SmallLayout> layouts;
  SmallLayout layout;
  std::vector<int> uses(devices, 0);  // stages
  // The stages from layer `l` on.
  auto extend = [&](auto& self, int l) -> void {
    if (l == layers) {
      if (space == nullptr ||
          space->Allows(layout.partition, layout.placement)) {
        layouts.push_back(layout);
      }
      return;
    }
    for (int d = 0; d < devices; ++d) {
      bool is_first = true;
      for (int other = 0; other < d; ++other) {
        is_first &= space != nullptr || uses[d] > 0 || uses[other] > 0 ||
                    !equal[other][d];
      }
      if (!is_first) continue;
      ++uses[d];
      layout.placement.device.push_back(d);
      for (int end = l + 1; end <= (finest ? l + 1 : layers); ++end) {
        layout.partition.begin.push_back(end);
        self(self, end);
        layout.partition.begin.pop_back();
      }
      layout.placement.device.pop_back();
      --uses[d];
    }
  };
  extend(extend, 0);
  return layouts;
}

}  // namespace octopipe
