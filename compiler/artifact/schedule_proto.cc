#include "compiler/artifact/schedule_proto.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/artifact/metrics_proto.h"
#include "compiler/artifact/plan_proto.h"
#include "compiler/artifact/problem_proto.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"
#include "xxhash.h"

namespace octopipe {
namespace {

uint64_t Checksum(const v1::Schedule& without_checksum) {
  const std::string bytes = CanonicalBytes(without_checksum);
  return XXH3_64bits(bytes.data(), bytes.size());
}

absl::Status CheckHash(absl::string_view what, absl::string_view of,
                       uint64_t expected, uint64_t found) {
  if (expected == found) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "schedule was edited or truncated: %s says %016x, %s has %016x; write it "
      "again with octopipe",
      what, found, of, expected));
}

// Everything but the hashes.
absl::StatusOr<Artifact> ContentsFromProto(const v1::Schedule& proto) {
  Artifact artifact;
  OCTOPIPE_ASSIGN_OR_RETURN(artifact.problem,
                            ProblemFromProto(proto.problem()));
  OCTOPIPE_ASSIGN_OR_RETURN(PlanAndTimeline plan,
                            PlanFromProto(artifact.problem, proto));
  artifact.plan = std::move(plan.plan);
  artifact.timeline = std::move(plan.timeline);
  OCTOPIPE_ASSIGN_OR_RETURN(
      artifact.metrics, MetricsFromProto(artifact.plan.order, proto.metrics()));
  OCTOPIPE_RETURN_IF_ERROR(BoundsFromProto(proto, &artifact));
  artifact.made_by = ProvenanceFromProto(proto.made_by());
  return artifact;
}

}  // namespace

absl::StatusOr<v1::Schedule> ScheduleToProto(const Artifact& artifact) {
  v1::Schedule proto;
  proto.set_format_version(1);
  OCTOPIPE_ASSIGN_OR_RETURN(*proto.mutable_problem(),
                            ProblemToProto(artifact.problem));
  OCTOPIPE_RETURN_IF_ERROR(
      PlanToProto(artifact.problem, artifact.plan, artifact.timeline, &proto));
  MetricsToProto(artifact.metrics, proto.mutable_metrics());
  OCTOPIPE_RETURN_IF_ERROR(BoundsToProto(artifact, &proto));
  OCTOPIPE_RETURN_IF_ERROR(
      ProvenanceToProto(artifact.made_by, proto.mutable_made_by()));
  OCTOPIPE_RETURN_IF_ERROR(ContentsFromProto(proto).status());
  proto.set_fingerprint(Fingerprint(proto.problem()));
  proto.set_checksum(Checksum(proto));
  return proto;
}

absl::StatusOr<Artifact> ScheduleFromProto(v1::Schedule proto) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckFormatVersion("schedule", proto.format_version()));
  const uint64_t checksum = proto.checksum();
  proto.clear_checksum();
  OCTOPIPE_RETURN_IF_ERROR(
      CheckHash("checksum", "the file", Checksum(proto), checksum));
  OCTOPIPE_RETURN_IF_ERROR(CheckHash("fingerprint", "the problem",
                                     Fingerprint(proto.problem()),
                                     proto.fingerprint()));
  return ContentsFromProto(proto);
}

absl::StatusOr<std::string> EncodeSchedule(const Artifact& artifact,
                                           bool text) {
  OCTOPIPE_ASSIGN_OR_RETURN(const v1::Schedule proto,
                            ScheduleToProto(artifact));
  return text ? ToText(proto) : CanonicalBytes(proto);
}

absl::StatusOr<Artifact> DecodeSchedule(absl::string_view contents) {
  v1::Schedule proto;
  OCTOPIPE_RETURN_IF_ERROR(ParseMessage(contents, "schedule", &proto));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckFormatVersion("schedule", proto.format_version()));
  if (DetectEncoding(contents) == Encoding::kBinary &&
      CanonicalBytes(proto) != contents) {
    return absl::DataLossError(
        "schedule was edited or truncated: its bytes are not in canonical "
        "form; "
        "write it again with octopipe");
  }
  return ScheduleFromProto(std::move(proto));
}

}  // namespace octopipe
