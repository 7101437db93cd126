#include "compiler/import/decimal.h"

#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "compiler/base/units.h"

namespace octopipe {
namespace {

// Moves leading digits of `text` to the end of `digits`; how many.
int TakeDigits(absl::string_view* text, std::string* digits) {
  size_t count = 0;
  while (count < text->size() && absl::ascii_isdigit((*text)[count])) ++count;
  digits->append(text->data(), count);
  text->remove_prefix(count);
  return static_cast<int>(count);
}

bool Take(absl::string_view* text, absl::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == absl::string_view::npos) {
    return false;
  }
  text->remove_prefix(1);
  return true;
}

// Far beyond what an int64 holds, and far below what an int does.
constexpr int64_t kMaxExponent = 1000000;

std::optional<int64_t> TakeExponent(absl::string_view* text) {
  if (!Take(text, "eE")) return 0;
  const bool negative = Take(text, "-");
  if (!negative) Take(text, "+");
  std::string digits;
  if (TakeDigits(text, &digits) == 0) return std::nullopt;
  int64_t exponent = 0;
  for (char digit : digits) {
    exponent = exponent * 10 + (digit - '0');
    if (exponent > kMaxExponent) exponent = kMaxExponent;
  }
  return negative ? -exponent : exponent;
}

// digits · 10^power, to the nearest integer.
std::optional<int64_t> Evaluate(const std::string& digits, int64_t power) {
  const int64_t whole = static_cast<int64_t>(digits.size()) + power;
  if (whole < 0) return 0;
  int64_t value = 0;
  for (int64_t i = 0; i < whole && (value > 0 || i < int64_t(digits.size()));
       ++i) {
    const int digit = i < int64_t(digits.size()) ? digits[i] - '0' : 0;
    if (value > kMaxTotal / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (whole < int64_t(digits.size()) && digits[whole] >= '5') ++value;
  if (value > kMaxTotal) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int64_t> ScaledDecimal(absl::string_view text, int scale) {
  const bool negative = Take(&text, "-");
  std::string digits;
  const int whole = TakeDigits(&text, &digits);
  if (whole == 0 || (whole > 1 && digits[0] == '0')) return std::nullopt;
  int fraction = 0;
  if (Take(&text, ".")) {
    fraction = TakeDigits(&text, &digits);
    if (fraction == 0) return std::nullopt;
  }
  const std::optional<int64_t> exponent = TakeExponent(&text);
  if (!exponent || !text.empty()) return std::nullopt;
  const std::optional<int64_t> value =
      Evaluate(digits, *exponent - fraction + scale);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

}  // namespace octopipe
