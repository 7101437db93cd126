// What one layer costs: the numbers that a profile or a cost model gives.

#ifndef OCTOPIPE_COMPILER_COST_LAYER_COST_H_
#define OCTOPIPE_COMPILER_COST_LAYER_COST_H_

#include <string>
#include <utility>
#include <vector>

#include "compiler/base/units.h"

namespace octopipe {

// Durations of one layer for one micro-batch.
struct LayerTimes {
  Nanos f_ns = 0;  // forward
  Nanos b_ns = 0;  // gradient of the input
  Nanos w_ns = 0;  // gradient of the weights

  friend bool operator==(const LayerTimes& a, const LayerTimes& b) {
    return a.f_ns == b.f_ns && a.b_ns == b.b_ns && a.w_ns == b.w_ns;
  }
};

// Memory of one layer on its device.
struct LayerMemory {
  // Live through the whole step.
  Bytes param_bytes = 0;
  Bytes grad_bytes = 0;
  Bytes optimizer_bytes = 0;
  // Activations of one micro-batch, alive from the start of F to the end of B
  // and to the end of W. A whole backward frees both at its end.
  Bytes saved_b_bytes = 0;
  Bytes saved_w_bytes = 0;
  // Alive only while F, or B and W, run.
  Bytes f_workspace_bytes = 0;
  Bytes b_workspace_bytes = 0;

  friend bool operator==(const LayerMemory& a, const LayerMemory& b) {
    return a.param_bytes == b.param_bytes && a.grad_bytes == b.grad_bytes &&
           a.optimizer_bytes == b.optimizer_bytes &&
           a.saved_b_bytes == b.saved_b_bytes &&
           a.saved_w_bytes == b.saved_w_bytes &&
           a.f_workspace_bytes == b.f_workspace_bytes &&
           a.b_workspace_bytes == b.b_workspace_bytes;
  }
};

// Where a layer stands in the model. An even split counts blocks only; the
// embedding goes with the first of them and the head with the last.
enum class LayerRole { kBlock, kEmbedding, kHead };

struct LayerCost {
  std::string kind;  // "mamba", "attention", …: layers of a kind cost the same
  LayerRole role = LayerRole::kBlock;
  // On a device of speed 1; a device takes ceil(ns · 1000 / speed_permille).
  LayerTimes times;
  // Measured times on a device kind; they replace `times` and the device's
  // speed there. Sorted by device kind.
  std::vector<std::pair<std::string, LayerTimes>> times_on;
  LayerMemory memory;
  // Whether B and W may run apart.
  bool splittable = true;

  friend bool operator==(const LayerCost& a, const LayerCost& b) {
    return a.kind == b.kind && a.role == b.role && a.times == b.times &&
           a.times_on == b.times_on && a.memory == b.memory &&
           a.splittable == b.splittable;
  }
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_COST_LAYER_COST_H_
