// GPipe: all forwards, then all backwards.
//
//   time →
// 0 |F0 F1 F2 F3  .  .  .  .  .  . B0 == B1 == B2 == B3 ==
// 1 | . F0 F1 F2 F3  .  .  . B0 == B1 == B2 == B3 ==  .  .
// 2 | .  . F0 F1 F2 F3 B0 == B1 == B2 == B3 ==  .  .  .  .
//
// Huang et al., "GPipe: Efficient Training of Giant Neural Networks using
// Pipeline Parallelism", 2019, arXiv 1811.06965. One stage a device there. Here
// a device with several stages runs all micro-batches of one before the next,
// as in Lamy-Poirier, "Breadth-First Pipeline Parallelism", 2022, arXiv
// 2211.05953, so that any placement fits. Every device holds the activations of
// all micro-batches at once.

#include <vector>

#include "compiler/schedule/generators/generators.h"

namespace octopipe {

absl::Status CheckGPipe(const StageTable& table) { return absl::OkStatus(); }

Order GenerateGPipe(const StageTable& table) {
  Order order;
  order.programs.resize(table.num_devices);
  for (int s = 0; s < table.num_stages(); ++s) {
    std::vector<WorkItem>& program = order.programs[table.stages[s].device];
    for (int m = 0; m < table.micro_batches; ++m) {
      program.push_back(Forward(s, m));
    }
  }
  for (int s = table.num_stages() - 1; s >= 0; --s) {
    std::vector<WorkItem>& program = order.programs[table.stages[s].device];
    for (int m = 0; m < table.micro_batches; ++m) {
      program.push_back(Backward(s, m));
    }
  }
  return order;
}

}  // namespace octopipe
