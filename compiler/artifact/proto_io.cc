#include "compiler/artifact/proto_io.h"

#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"

namespace octopipe {
namespace {

constexpr int kMaxNesting = 32;

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && !absl::ascii_isspace(c)) ||
         c == 0x7f;
}

// Keeps the first error; protobuf counts lines and columns from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!text_.empty()) return;
    std::string own = message;
    if (absl::EndsWith(own, ".")) own.pop_back();
    if (!own.empty()) own[0] = absl::ascii_tolower(own[0]);
    text_ = absl::StrCat(line + 1, ":", column + 1, ": ", own);
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column,
                  const std::string& message) override {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status ParseText(absl::string_view contents, absl::string_view what,
                       google::protobuf::Message* message) {
  google::protobuf::io::ArrayInputStream stream(
      contents.data(), static_cast<int>(contents.size()));
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxNesting);
  if (parser.Parse(&stream, message)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(error.text(), " (while reading a ", what, " as text)"));
}

}  // namespace

Encoding DetectEncoding(absl::string_view contents) {
  for (char c : contents) {
    if (IsControl(c)) return Encoding::kBinary;
  }
  if (!IsValidUtf8(contents)) return Encoding::kBinary;
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(contents);
  if (text.empty()) return Encoding::kEmpty;
  return text[0] == '{' || text[0] == '[' ? Encoding::kJson : Encoding::kText;
}

bool IsValidUtf8(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = text[i];
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < size_t(length)) {
      return false;
    }
    uint32_t code = lead & (0x7f >> length);
    for (int k = 1; k < length; ++k) {
      const unsigned char next = text[i + k];
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3f);
    }
    const bool overlong =
        (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (overlong || surrogate || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

absl::Status ParseMessage(absl::string_view contents, absl::string_view what,
                          google::protobuf::Message* message) {
  google::protobuf::LogSilencer silencer;
  switch (DetectEncoding(contents)) {
    case Encoding::kEmpty:
      return absl::InvalidArgumentError(
          absl::StrCat("expected a ", what, ", got an empty file"));
    case Encoding::kJson:
      return absl::InvalidArgumentError(absl::StrCat(
          "expected a ", what, " as protobuf text or binary, got JSON"));
    case Encoding::kText:
      return ParseText(contents, what, message);
    case Encoding::kBinary:
      break;
  }
  if (!message->ParseFromArray(contents.data(),
                               static_cast<int>(contents.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("truncated or not an octopipe ", what));
  }
  return absl::OkStatus();
}

absl::Status CheckFormatVersion(absl::string_view what, uint32_t version) {
  if (version == 1) return absl::OkStatus();
  if (version == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("truncated or not an octopipe ", what,
                     ": format_version is missing, expected 1"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(what, " has format_version ", version,
                   ", this octopipe reads 1; use the release that wrote it"));
}

std::string CanonicalBytes(const google::protobuf::Message& message) {
  google::protobuf::LogSilencer silencer;
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string ToText(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

}  // namespace octopipe
