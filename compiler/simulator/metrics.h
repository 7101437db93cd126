// What the simulator says about a plan. Plain values.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_METRICS_H_
#define OCTOPIPE_COMPILER_SIMULATOR_METRICS_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"
#include "compiler/schedule/work_item.h"

namespace octopipe {

// start_ns[d][i] is when item i of device d's program starts. An item ends its
// duration later; items of one device do not overlap.
struct Timeline {
  Nanos makespan_ns = 0;
  std::vector<std::vector<Nanos>> start_ns;
};

// A device's time, split without rest:
// makespan = busy + warmup + cooldown + inner, and
// inner = waiting for data + waiting for a transfer.
struct DeviceMetrics {
  Nanos busy_ns = 0;
  Nanos warmup_ns = 0;    // before the first item
  Nanos cooldown_ns = 0;  // after the last
  Nanos inner_ns = 0;     // between items
  // The inner gaps by cause: until the last producer had ended, and from there
  // until its tensor had arrived.
  Nanos inner_data_ns = 0;
  Nanos inner_transfer_ns = 0;

  Bytes static_bytes = 0;
  Bytes peak_bytes = 0;  // static included
  // Index in the device's program of the item at whose start the peak is
  // reached first; -1 without items.
  int peak_item = -1;
};

// An item on the longest path, and why it starts when it does.
struct CriticalItem {
  enum class Cause { kStart, kDevice, kData, kTransfer };
  int device = 0;
  int position = 0;  // in the device's program
  WorkItem item;
  Nanos start_ns = 0;
  Nanos duration_ns = 0;
  Cause cause = Cause::kStart;
};

struct Metrics {
  Nanos makespan_ns = 0;
  std::vector<DeviceMetrics> devices;
  // From time 0 to the makespan, without gap but for transfers.
  std::vector<CriticalItem> critical_path;

  // Idle share of all devices' time, in 1/1000, rounded down.
  int64_t BubblePermille() const {
    if (makespan_ns == 0 || devices.empty()) return 0;
    absl::uint128 all = makespan_ns;
    all *= devices.size();
    absl::uint128 idle = all;
    for (const DeviceMetrics& device : devices) idle -= device.busy_ns;
    return static_cast<int64_t>(idle * 1000 / all);
  }
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_METRICS_H_
