// Stages and programs of schedule.proto ↔ plan and timeline.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PLAN_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PLAN_PROTO_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/simulator/metrics.h"
#include "proto/schedule.pb.h"

namespace octopipe {

struct PlanAndTimeline {
  Plan plan;
  Timeline timeline;
};

// Reads `stages`, `programs` and `makespan_ns`. Stages cover the layers of
// `problem`, their bytes are its bytes, and items and starts are in range.
absl::StatusOr<PlanAndTimeline> PlanFromProto(const Problem& problem,
                                              const v1::Schedule& proto);

// Writes them. InvalidArgument if partition, placement, programs and timeline
// do not fit `problem` or each other in number.
absl::Status PlanToProto(const Problem& problem, const Plan& plan,
                         const Timeline& timeline, v1::Schedule* proto);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PLAN_PROTO_H_
