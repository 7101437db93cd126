#include "compiler/import/json_value.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/import/decimal.h"
#include "nlohmann/json.hpp"

namespace octopipe {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxDepth = 32;

// Reads bytes and publishes how many: the parser tells its handler no
// positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* consumed)
      : at_(at), consumed_(consumed) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ != b.at_;
  }

 private:
  const char* at_;
  size_t* consumed_;
};

// Builds the tree. Events come when their token has been read.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(absl::string_view contents, const size_t* consumed,
              JsonValue* root)
      : contents_(contents), consumed_(consumed), root_(root) {}

  bool null() override { return Add(JsonValue::Kind::kNull, TokenStart(4)); }
  bool boolean(bool value) override {
    return Add(JsonValue::Kind::kBool, TokenStart(value ? 4 : 5));
  }
  bool number_integer(number_integer_t) override { return AddNumber(); }
  bool number_unsigned(number_unsigned_t) override { return AddNumber(); }
  bool number_float(number_float_t, const string_t&) override {
    return AddNumber();
  }
  bool string(string_t& value) override {
    return Add(JsonValue::Kind::kString, StringStart(), value);
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) override { return Open(JsonValue::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) {
      return Fail(StringStart(), absl::StrCat("key '", key, "' stands twice"));
    }
    open_.back()->keys.push_back(key);
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const Json::exception& exception) override {
    absl::string_view what = exception.what();
    const size_t detail = what.find(" - ");
    if (detail != absl::string_view::npos)
      what.remove_prefix(detail + 3);
    else
      what = what.substr(what.find("] ") + 2);
    return Fail(position == 0 ? 0 : position - 1, what);
  }

  const std::optional<std::pair<size_t, std::string>>& error() const {
    return error_;
  }

 private:
  bool Fail(size_t offset, absl::string_view message) {
    if (!error_) error_.emplace(offset, std::string(message));
    return false;
  }

  size_t TokenStart(size_t length) const { return *consumed_ - length; }

  // From the closing quote back to the opening one.
  size_t StringStart() const {
    size_t at = *consumed_ - 1;
    while (at > 0) {
      --at;
      if (contents_[at] != '"') continue;
      size_t backslashes = 0;
      while (backslashes < at && contents_[at - 1 - backslashes] == '\\') {
        ++backslashes;
      }
      if (backslashes % 2 == 0) break;
    }
    return at;
  }

  // The parser has looked one byte ahead, unless the file ended.
  bool AddNumber() {
    auto in_number = [](char c) {
      return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
             c == 'e' || c == 'E';
    };
    size_t end = *consumed_;
    if (!in_number(contents_[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && in_number(contents_[begin - 1])) --begin;
    return Add(JsonValue::Kind::kNumber, begin,
               std::string(contents_.substr(begin, end - begin)));
  }

  JsonValue* Place(JsonValue::Kind kind, size_t offset, std::string text) {
    JsonValue* value = root_;
    if (!open_.empty()) {
      open_.back()->items.emplace_back();
      value = &open_.back()->items.back();
    }
    value->kind = kind;
    value->offset = offset;
    value->text = std::move(text);
    return value;
  }

  bool Add(JsonValue::Kind kind, size_t offset, std::string text = "") {
    Place(kind, offset, std::move(text));
    return true;
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaxDepth) {
      return Fail(TokenStart(1),
                  absl::StrCat("nested deeper than ", kMaxDepth));
    }
    open_.push_back(Place(kind, TokenStart(1), ""));
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  absl::string_view contents_;
  const size_t* consumed_;
  JsonValue* root_;
  // The path to the value being built: only its last element grows, so the
  // pointers hold.
  std::vector<JsonValue*> open_;
  std::vector<absl::flat_hash_set<std::string>> keys_;
  std::optional<std::pair<size_t, std::string>> error_;
};

std::string JoinPath(absl::string_view path, absl::string_view key) {
  return absl::StrCat(path, path.empty() ? "" : ".", key);
}

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

absl::string_view JsonKindName(JsonValue::Kind kind) {
  constexpr absl::string_view kNames[] = {"null",     "a boolean", "a number",
                                          "a string", "an array",  "an object"};
  return kNames[static_cast<int>(kind)];
}

absl::StatusOr<JsonFile> JsonFile::Parse(std::string file,
                                         std::string contents) {
  JsonFile result;
  result.file_ = std::move(file);
  result.contents_ = std::move(contents);
  const std::string& bytes = result.contents_;
  size_t consumed = 0;
  TreeBuilder builder(bytes, &consumed, &result.root_);
  const bool ok = Json::sax_parse(
      CountingIterator(bytes.data(), &consumed),
      CountingIterator(bytes.data() + bytes.size(), &consumed), &builder);
  if (ok) return result;
  if (!builder.error()) {
    return absl::InvalidArgumentError(
        absl::StrCat(result.file_, ": not a JSON file"));
  }
  const auto& [offset, message] = *builder.error();
  return absl::InvalidArgumentError(
      absl::StrCat(result.Position(offset), ": ", message));
}

std::string JsonFile::Position(size_t offset) const {
  const absl::string_view before = absl::string_view(contents_).substr(
      0, std::min(offset, contents_.size()));
  const size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n');
  const size_t column = line_start == absl::string_view::npos
                            ? before.size() + 1
                            : before.size() - line_start;
  return absl::StrCat(file_, ":", line, ":", column);
}

absl::Status JsonFile::Error(const JsonValue& value, absl::string_view path,
                             absl::string_view message) const {
  return absl::InvalidArgumentError(absl::StrCat(
      Position(value.offset), ": ", path, path.empty() ? "" : ": ", message));
}

absl::StatusOr<const JsonValue*> JsonFile::Member(const JsonValue& object,
                                                  absl::string_view path,
                                                  absl::string_view key,
                                                  JsonValue::Kind kind) const {
  if (object.kind != JsonValue::Kind::kObject) {
    return Error(
        object, path,
        absl::StrCat("expected an object, got ", JsonKindName(object.kind)));
  }
  const JsonValue* member = object.Find(key);
  if (member == nullptr) {
    return Error(object, path,
                 absl::StrCat("expected a key '", key, "' with ",
                              JsonKindName(kind), ", got none"));
  }
  if (member->kind != kind) {
    return Error(*member, JoinPath(path, key),
                 absl::StrCat("expected ", JsonKindName(kind), ", got ",
                              JsonKindName(member->kind)));
  }
  return member;
}

absl::StatusOr<int64_t> JsonFile::Quantity(const JsonValue& object,
                                           absl::string_view path,
                                           absl::string_view key,
                                           int scale) const {
  auto number = Member(object, path, key, JsonValue::Kind::kNumber);
  if (!number.ok()) return number.status();
  const std::string& text = (*number)->text;
  if (absl::StartsWith(text, "-")) {
    return Error(**number, JoinPath(path, key),
                 absl::StrCat("expected 0 or more, got ", text));
  }
  const std::optional<int64_t> value = ScaledDecimal(text, scale);
  if (!value) {
    return Error(**number, JoinPath(path, key),
                 absl::StrCat("number too large: ", text));
  }
  return *value;
}

}  // namespace octopipe
