#include "compiler/import/import_profile.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"
#include "compiler/import/profile_json.h"

namespace octopipe {
namespace {

absl::StatusOr<JsonProfile> ReadProfile(const std::string& file,
                                        std::string contents) {
  if (DetectEncoding(contents) == Encoding::kJson) {
    return ProfileFromJson(file, std::move(contents));
  }
  v1::Profile proto;
  const absl::Status parsed = ParseMessage(contents, "profile", &proto);
  if (!parsed.ok()) return InFile(file, parsed);
  absl::StatusOr<ModelProfile> profile = ProfileFromProto(proto);
  if (!profile.ok()) return InFile(file, profile.status());
  return JsonProfile{*std::move(profile), /*whole_backward=*/false};
}

}  // namespace

absl::StatusOr<ImportedProfile> ImportProfile(const std::string& file,
                                              std::string contents,
                                              const ImportOptions& options) {
  OCTOPIPE_RETURN_IF_ERROR(CheckImportOptions(options));
  OCTOPIPE_ASSIGN_OR_RETURN(JsonProfile read,
                            ReadProfile(file, std::move(contents)));
  ImportedProfile result;
  result.profile = std::move(read.profile);
  absl::StatusOr<std::vector<std::string>> warnings =
      AdjustLayers(options, read.whole_backward, result.profile.layers);
  if (!warnings.ok()) return InFile(file, warnings.status());
  result.warnings = *std::move(warnings);
  return result;
}

}  // namespace octopipe
