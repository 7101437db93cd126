// Profile.proto ↔ the layers of a problem.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PROFILE_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PROFILE_PROTO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"
#include "proto/profile.pb.h"

namespace octopipe {

// A model with its costs, before there is a cluster.
struct ModelProfile {
  std::string name;
  std::vector<Layer> layers;
  int64_t sequence_length = 0;   // tokens; 0: not known
  int64_t micro_batch_size = 0;  // sequences; 0: not known
  std::string source;            // where the numbers come from, in words

  // Tokens of one micro-batch; 0: not known.
  int64_t tokens_per_micro_batch() const {
    return sequence_length * micro_batch_size;
  }
};

// Every number of the result is in [0, kMaxTotal] and every input below its
// layer; whether the model is valid as a problem is CheckProblem's to say.
// Errors name the path: "layers[3].kind: ...".
absl::StatusOr<ModelProfile> ProfileFromProto(const v1::Profile& proto);

// Lossless, all fields written out. A kind stands in `kinds` if it has a name;
// layers whose costs differ from the first of their kind carry their own.
// InvalidArgument for names that are not UTF-8.
absl::StatusOr<v1::Profile> ProfileToProto(const ModelProfile& profile);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PROFILE_PROTO_H_
