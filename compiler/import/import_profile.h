// Profiles of every format that OctoPipe reads.

#ifndef OCTOPIPE_COMPILER_IMPORT_IMPORT_PROFILE_H_
#define OCTOPIPE_COMPILER_IMPORT_IMPORT_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/artifact/profile_proto.h"
#include "compiler/base/units.h"

namespace octopipe {

// What a profile leaves open. Applied in this order.
struct ImportOptions {
  // Every time becomes the nearest multiple, halves up. A whole backward is
  // rounded before it is split.
  Nanos round_ns = 1;
  // B's share of a backward that was measured as a whole; W gets the rest.
  int backward_split_permille = 500;
  // For layers whose profile has 0 there. The first two are for blocks alone:
  // an embedding or head that is a layer of its own has none. Activations live
  // until the weight gradient has run (saved_w_bytes).
  Bytes activation_bytes_per_layer = 0;
  Bytes param_bytes_per_layer = 0;
  Bytes output_bytes_per_layer = 0;  // hidden state, and its gradient
  // Makes the embedding part of the first block and the head of the last; see
  // fold_ends.h.
  bool fold_ends = false;
};

struct ImportedProfile {
  ModelProfile profile;
  // What a user should know, one sentence each; see degenerate_fit.h.
  std::vector<std::string> warnings;
};

// Reads a profile: JSON (profile_json.h) or Profile.proto, text or binary, told
// apart by content. InvalidArgument for anything else, beginning with `file`.
absl::StatusOr<ImportedProfile> ImportProfile(const std::string& file,
                                              std::string contents,
                                              const ImportOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_IMPORT_PROFILE_H_
