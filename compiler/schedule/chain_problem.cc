#include "compiler/schedule/chain_problem.h"

#include "absl/strings/str_cat.h"

namespace octopipe {

Problem ChainProblem(const std::vector<LayerTimes>& times, int devices,
                     int64_t micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  for (size_t l = 0; l < times.size(); ++l) {
    Layer layer;
    layer.name = absl::StrCat("l", l);
    layer.cost.times = times[l];
    if (l > 0) layer.inputs = {static_cast<int>(l) - 1};
    problem.layers.push_back(layer);
  }
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "h100"});
  }
  return problem;
}

}  // namespace octopipe
