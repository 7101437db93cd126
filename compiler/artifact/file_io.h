// Whole files, read and written so that nobody sees half of one.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_FILE_IO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_FILE_IO_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace octopipe {

// Files above this are refused: no input of the planner is near it.
inline constexpr size_t kMaxFileBytes = size_t{1} << 30;

// The contents of the file `path`, or of standard input for "-". NotFound if it
// does not exist, InvalidArgument if it is a directory or larger than
// `max_bytes`, PermissionDenied or Unavailable if it cannot be read. Messages
// begin with the path.
absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes = kMaxFileBytes);

// Makes `path` hold `contents`: all of it or, on failure, what it held before.
// Writes a file beside it, syncs, renames; leaves no such file behind when it
// fails. "-" is standard output, and a path that is neither new nor a regular
// file (a pipe, /dev/null) is written directly. A symbolic link is followed.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view contents);

// `status` with "`file`: " before its message; payloads stay.
absl::Status InFile(absl::string_view file, const absl::Status& status);

// The name of `path` in messages: "<stdin>" for "-".
std::string DisplayName(const std::string& path);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_FILE_IO_H_
