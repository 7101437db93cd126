// Protocol buffers from and to bytes, text or binary, told apart by content.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_PROTO_IO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_PROTO_IO_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace octopipe {

enum class Encoding { kEmpty, kText, kJson, kBinary };

// kText or kJson (its first non-blank character is '{' or '[') if the bytes are
// valid UTF-8 without control characters other than white space, else kBinary.
// Every binary file of ours begins with the field `format_version`, whose tag
// byte is a control character.
Encoding DetectEncoding(absl::string_view contents);

// Well-formed UTF-8: the only text that a proto3 string field can hold.
bool IsValidUtf8(absl::string_view text);

// Parses text or binary into `message`. InvalidArgument, with `line:column:`
// first for text. `what` names the message ("schedule"). Prints nothing.
absl::Status ParseMessage(absl::string_view contents, absl::string_view what,
                          google::protobuf::Message* message);

// FailedPrecondition unless `version` is the only one known, 1.
absl::Status CheckFormatVersion(absl::string_view what, uint32_t version);

// Deterministic binary encoding: the canonical one of schedule.proto.
std::string CanonicalBytes(const google::protobuf::Message& message);

// Human-readable text; packed columns stay on one line.
std::string ToText(const google::protobuf::Message& message);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_PROTO_IO_H_
