// Problem of schedule.proto ↔ the problem.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PROBLEM_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PROBLEM_PROTO_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"
#include "proto/schedule.pb.h"

namespace octopipe {

// Every index of the result is in range and every number in [0, kMaxTotal];
// CheckProblem says whether it is valid.
absl::StatusOr<Problem> ProblemFromProto(const v1::Problem& proto);

// Lossless.
absl::StatusOr<v1::Problem> ProblemToProto(const Problem& problem);

// XXH3-64 of the canonical encoding: equal problems have equal fingerprints, on
// every machine and in every release that writes format version 1.
uint64_t Fingerprint(const v1::Problem& proto);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PROBLEM_PROTO_H_
