// Schedule.proto, the artifact that others read, ↔ Artifact.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_SCHEDULE_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_SCHEDULE_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/artifact/artifact.h"
#include "proto/schedule.pb.h"

namespace octopipe {

// Lossless and deterministic, with fingerprint and checksum. InvalidArgument if
// parts of `artifact` do not fit each other or hold what ScheduleFromProto
// would refuse: what is written can be read.
absl::StatusOr<v1::Schedule> ScheduleToProto(const Artifact& artifact);

// The artifact, once version, checksum and fingerprint have been found right
// and every index and number in range. Does not say that the plan solves the
// problem: CheckProblem and VerifyPlan do. DataLoss for a wrong checksum or
// fingerprint, FailedPrecondition for another format version, InvalidArgument
// for the rest. O(items + links).
absl::StatusOr<Artifact> ScheduleFromProto(v1::Schedule proto);

// The bytes of a schedule file, text or binary, to and from. Reading tells the
// two apart and, for binary, accepts only the canonical encoding, so that no
// byte can change unnoticed.
absl::StatusOr<std::string> EncodeSchedule(const Artifact& artifact, bool text);
absl::StatusOr<Artifact> DecodeSchedule(absl::string_view contents);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_SCHEDULE_PROTO_H_
