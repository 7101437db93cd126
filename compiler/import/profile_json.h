// Profiles as JSON: a pattern of fitted kinds, or a list of measured layers.
//
//   {"model": "m", "layers": "EM-L",            {"model": "m", "layers": [
//    "kinds": {"M": {"name": "mamba",              {"kind": "M+E",
//      "forward_ns": 986500,                        "forward_ms": 5.77,
//      "input_grad_ns": 2507000,                    "backward_ms": 7.19},
//      "weight_grad_ns": 533200}, …}}               {"kind": "M+H", …}]}
//
// Both may have "seq_len" and "micro_batch_size". A fitted kind named
// "embedding" (or "embed") is the embedding and one named "lm_head" (or "head")
// the head; "+E" and "+H" mark a measured layer that also carries the one or
// the other. Measured kinds are letters; of those only "*" (attention), "-"
// (mlp) and "#" (moe) mean the same in every published profile and get that
// name.

#ifndef OCTOPIPE_COMPILER_IMPORT_PROFILE_JSON_H_
#define OCTOPIPE_COMPILER_IMPORT_PROFILE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/artifact/profile_proto.h"

namespace octopipe {

struct JsonProfile {
  ModelProfile profile;
  // The layers were measured with a whole backward: its time stands in b_ns.
  bool whole_backward = false;
};

// Times are nearest nanoseconds, halves up. Layers form a chain, are named and
// have no bytes. InvalidArgument: "`file`:line:column: key path: message".
absl::StatusOr<JsonProfile> ProfileFromJson(std::string file,
                                            std::string contents);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_PROFILE_JSON_H_
