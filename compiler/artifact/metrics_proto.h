// Metrics, bounds and provenance of schedule.proto ↔ their values.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_METRICS_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_METRICS_PROTO_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"
#include "proto/schedule.pb.h"

namespace octopipe {

// One DeviceMetrics per program of `order`. The critical path stays empty.
absl::StatusOr<Metrics> MetricsFromProto(const Order& order,
                                         const v1::Metrics& proto);
void MetricsToProto(const Metrics& metrics, v1::Metrics* proto);

// Into `artifact`: bounds, gap and made_by.
absl::Status BoundsFromProto(const v1::Schedule& proto, Artifact* artifact);
absl::Status BoundsToProto(const Artifact& artifact, v1::Schedule* proto);
Provenance ProvenanceFromProto(const v1::Provenance& proto);
absl::Status ProvenanceToProto(const Provenance& made_by,
                               v1::Provenance* proto);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_METRICS_PROTO_H_
