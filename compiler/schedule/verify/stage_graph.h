// What VerifyPlan knows of stages. Made from the layers alone, so that a fault
// in the table that the schedulers read does not hide itself.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_VERIFY_STAGE_GRAPH_H_
#define OCTOPIPE_COMPILER_SCHEDULE_VERIFY_STAGE_GRAPH_H_

#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

struct StageNode {
  // Earlier stages whose tensors this one reads, and later ones that send it a
  // gradient back. Ascending, without repeats.
  std::vector<int> producers;
  std::vector<int> gradient_sources;
  // Of one micro-batch.
  Bytes saved_b_bytes = 0;
  Bytes saved_w_bytes = 0;
  // Of the layer that needs most.
  Bytes f_workspace_bytes = 0;
  Bytes b_workspace_bytes = 0;
  int unsplittable_layer = -1;  // the first; -1: none
};

// `partition` is valid for `problem`.
std::vector<StageNode> BuildStageGraph(const Problem& problem,
                                       const Partition& partition);

// Parameters, gradients and optimizer state on each device; of a group that
// shares parameters, one layer's.
std::vector<Bytes> StaticBytesOfDevices(const Problem& problem,
                                        const Partition& partition,
                                        const Placement& placement);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_VERIFY_STAGE_GRAPH_H_
