#include "tools/octopipe/duration_flag.h"

#include <CLI/CLI.hpp>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace octopipe {
namespace {

// A year.
constexpr int64_t kMostMs = int64_t{366} * 24 * 3600 * 1000;

// Digits with at most one point among them, nothing else.
bool IsDecimal(absl::string_view text) {
  int digits = 0, points = 0;
  for (char c : text) {
    if (absl::ascii_isdigit(c)) {
      ++digits;
    } else if (c == '.') {
      ++points;
    } else {
      return false;
    }
  }
  return digits > 0 && points <= 1;
}

std::optional<int64_t> ParseMilliseconds(absl::string_view text) {
  const size_t end = text.find_first_not_of("0123456789.");
  const absl::string_view number = text.substr(0, end);
  const absl::string_view unit =
      end == absl::string_view::npos ? "s" : text.substr(end);
  const double scale = unit == "ms"  ? 1
                       : unit == "s" ? 1000
                       : unit == "m" ? 60000
                                     : 0;
  double value = 0;
  if (scale == 0 || !IsDecimal(number) || !absl::SimpleAtod(number, &value)) {
    return std::nullopt;
  }
  value *= scale;
  if (value <= 0 || value > static_cast<double>(kMostMs)) return std::nullopt;
  const int64_t whole = static_cast<int64_t>(value);
  return whole + (static_cast<double>(whole) < value ? 1 : 0);
}

}  // namespace

CLI::Option* AddDuration(CLI::App& command, const std::string& name,
                         int64_t* milliseconds, const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [milliseconds](const std::string& text) {
            *milliseconds = *ParseMilliseconds(text);
          },
          help)
      ->type_name("TIME")
      ->check([](const std::string& text) {
        return ParseMilliseconds(text)
                   ? std::string()
                   : absl::StrCat(
                         "expected a time above 0 and up to a year, such as "
                         "10s, 0.5s, 500ms, 2m, or seconds alone; got '",
                         text, "'");
      });
}

}  // namespace octopipe
