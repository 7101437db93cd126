// The problem as a partition and a placement see it: what each stage costs on
// its device, and what flows between stages. Named schedules, the simulator,
// the list scheduler and the search work on it instead of on layers.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_STAGE_TABLE_H_
#define OCTOPIPE_COMPILER_SCHEDULE_STAGE_TABLE_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

struct StageCost {
  int device = 0;
  // With the device's speed and the launch overhead of one item in each. A
  // whole backward takes bw_ns: b and w with one overhead.
  Nanos f_ns = 0;
  Nanos b_ns = 0;
  Nanos w_ns = 0;
  Nanos bw_ns = 0;
  // Per micro-batch; see LayerMemory.
  Bytes saved_b_bytes = 0;
  Bytes saved_w_bytes = 0;
  // The largest of any layer.
  Bytes f_workspace_bytes = 0;
  Bytes b_workspace_bytes = 0;
  bool splittable = true;

  Bytes saved_bytes() const { return saved_b_bytes + saved_w_bytes; }
};

// Tensors that stage `from` hands to the later stage `to`.
struct StageEdge {
  int from = 0;
  int to = 0;
  Bytes activation_bytes = 0;
  Bytes gradient_bytes = 0;
  bool needs_grad = true;
  // Of the channels between the stages' devices, each way. Zero and -1 where
  // both stages are on one device or no link joins the devices.
  Nanos activation_transfer_ns = 0;  // occupies the channel
  Nanos activation_latency_ns = 0;   // then travels
  int activation_channel = -1;       // index into Problem::links
  Nanos gradient_transfer_ns = 0;
  Nanos gradient_latency_ns = 0;
  int gradient_channel = -1;
};

// A port whose channels can be in each other's way.
struct SharedPort {
  struct Channel {
    int channel = 0;  // index into Problem::links
    int64_t bytes_per_us = 0;
  };
  int64_t bytes_per_us = 0;  // the largest of any link of the port
  // At least two, ascending: those that some edge sends bytes over.
  std::vector<Channel> channels;
};

struct StageTable {
  int num_devices = 0;
  int num_channels = 0;  // Problem::links.size()
  int micro_batches = 0;
  std::vector<StageCost> stages;
  // Sorted by (from, to), one per pair. A chain model has exactly the edges
  // s → s + 1.
  std::vector<StageEdge> edges;
  std::vector<std::vector<int>> in_edges;   // of each stage, into `edges`
  std::vector<std::vector<int>> out_edges;  // of each stage, into `edges`
  // Per device: parameters, gradients and optimizer state of its stages, shared
  // parameters once; and its capacity (0: not limited).
  std::vector<Bytes> static_bytes;
  std::vector<Bytes> memory_bytes;
  // Those whose channels together are faster than the port, by first channel.
  // Where there is one, transfer_ns is what a message takes alone, and when
  // items run only the event simulator knows.
  std::vector<SharedPort> shared_ports;
  // True if the edges are exactly s → s + 1.
  bool is_chain = true;

  int num_stages() const { return static_cast<int>(stages.size()); }

  // Whether what runs at one time can slow down other things: then times follow
  // from no longest path.
  bool HasContention() const { return !shared_ports.empty(); }
};

// The work of one micro-batch on the device that has most of it. No order
// sustains a shorter period.
Nanos BusiestDeviceWork(const StageTable& table);

// What `cost` takes on `device`, without launch overhead.
LayerTimes TimesOn(const LayerCost& cost, const Device& device);

// `problem` is valid and `partition` and `placement` are valid for it.
// O(layers + edges + stages).
StageTable BuildStageTable(const Problem& problem, const Partition& partition,
                           const Placement& placement);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_STAGE_TABLE_H_
