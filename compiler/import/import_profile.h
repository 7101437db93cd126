// Profiles of every format that OctoPipe reads.

#ifndef OCTOPIPE_COMPILER_IMPORT_IMPORT_PROFILE_H_
#define OCTOPIPE_COMPILER_IMPORT_IMPORT_PROFILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/artifact/profile_proto.h"
#include "compiler/import/adjust_layers.h"

namespace octopipe {

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
