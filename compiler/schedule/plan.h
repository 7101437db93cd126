// The plan: partition, placement and order. Plain values; verify_plan.h says
// whether they are valid for a problem.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_PLAN_H_
#define OCTOPIPE_COMPILER_SCHEDULE_PLAN_H_

#include <vector>

#include "compiler/schedule/work_item.h"

namespace octopipe {

// Stage s holds the layers begin[s] .. begin[s + 1] − 1. begin.front() is 0,
// begin.back() the number of layers, and every stage has at least one layer.
struct Partition {
  std::vector<int> begin = {0};

  int stages() const { return static_cast<int>(begin.size()) - 1; }
  friend bool operator==(const Partition& a, const Partition& b) {
    return a.begin == b.begin;
  }
};

// device[s] runs stage s. Any map is allowed; a device may be left without
// work.
struct Placement {
  std::vector<int> device;

  friend bool operator==(const Placement& a, const Placement& b) {
    return a.device == b.device;
  }
};

// programs[d] is the total order of device d's compute items.
struct Order {
  std::vector<std::vector<WorkItem>> programs;

  friend bool operator==(const Order& a, const Order& b) {
    return a.programs == b.programs;
  }
};

struct Plan {
  Partition partition;
  Placement placement;
  Order order;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_PLAN_H_
