// JSON that remembers where each value stood and how each number was written,
// so that errors can point and decimals stay exact.

#ifndef OCTOPIPE_COMPILER_IMPORT_JSON_VALUE_H_
#define OCTOPIPE_COMPILER_IMPORT_JSON_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace octopipe {

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  size_t offset = 0;  // of its first byte in the file
  std::string text;   // of a string, decoded; of a number, as written
  std::vector<std::string> keys;  // of an object, in order, without repeats
  std::vector<JsonValue> items;   // of an array or an object

  // The value of `key`; nullptr if this is no object or has no such key.
  const JsonValue* Find(absl::string_view key) const;
};

// "an object", "a string", ….
absl::string_view JsonKindName(JsonValue::Kind kind);

// A parsed file. Errors read "file:line:column: path: message".
class JsonFile {
 public:
  // InvalidArgument for what is not JSON (NaN and Infinity are not), for a key
  // that stands twice in one object, and for nesting deeper than 32.
  static absl::StatusOr<JsonFile> Parse(std::string file, std::string contents);

  const JsonValue& root() const { return root_; }

  // InvalidArgument at `value`, which the key path `path` names.
  absl::Status Error(const JsonValue& value, absl::string_view path,
                     absl::string_view message) const;

  // The member `key` of `object` of the given kind, or an error that says what
  // is missing or what stands there instead.
  absl::StatusOr<const JsonValue*> Member(const JsonValue& object,
                                          absl::string_view path,
                                          absl::string_view key,
                                          JsonValue::Kind kind) const;

  // The number `key` of `object`, times 10^`scale`, to the nearest integer: in
  // [0, kMaxTotal], or an error.
  absl::StatusOr<int64_t> Quantity(const JsonValue& object,
                                   absl::string_view path,
                                   absl::string_view key, int scale) const;

 private:
  std::string Position(size_t offset) const;

  std::string file_;
  std::string contents_;
  JsonValue root_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_JSON_VALUE_H_
