// The problem: a layer graph with costs, a cluster, a number of micro-batches.
//
// A plain value. The IR, the protobuf and the profile formats are views of it,
// with a converter each. `CheckProblem` (check_problem.h) says whether it is
// valid; everything else in the core expects that it is.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_PROBLEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_PROBLEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/cost/layer_cost.h"

namespace octopipe {

struct Layer {
  std::string name;
  LayerCost cost;
  // Producers of this layer's inputs, by index, each below this layer's own:
  // layers stand in a topological order. Sorted, without repeats.
  std::vector<int> inputs;
  // What one micro-batch sends to each consumer on another device, and what a
  // consumer sends back. `needs_grad` is false where no gradient flows back.
  Bytes output_bytes = 0;
  Bytes output_grad_bytes = 0;
  bool needs_grad = true;
  // Layers of the same non-empty group share their parameters (tied
  // embeddings): a device holds them once, and two devices that hold them must
  // reduce their gradients.
  std::string shares;
};

struct Device {
  std::string name;
  std::string kind;
  Bytes memory_bytes = 0;  // 0: not limited
  int64_t speed_permille = 1000;
};

// A directed channel between two devices, first in first out: a message of n
// bytes occupies it for ceil(n / bandwidth) and arrives `latency_ns` later.
struct Link {
  int from = 0;
  int to = 0;
  Nanos latency_ns = 0;
  int64_t bytes_per_us = 0;  // 0: the size costs nothing
  std::string port;
};

struct Problem {
  std::string name;
  std::vector<Layer> layers;
  std::vector<Device> devices;
  // At most one per directed pair. A pair without a link transfers for free.
  std::vector<Link> links;
  int64_t micro_batches = 1;
  // Host cost of starting one compute item, added to each item's duration.
  Nanos launch_overhead_ns = 0;
  // Tokens of one micro-batch, for throughput; 0: not known.
  int64_t tokens_per_micro_batch = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_PROBLEM_H_
