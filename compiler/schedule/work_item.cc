#include "compiler/schedule/work_item.h"

#include <array>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

constexpr std::array<absl::string_view, kNumWorkKinds> kLetters = {
    "F", "B", "W", "BW", "SF", "RF", "SB", "RB"};

std::optional<WorkKind> ConsumeKind(absl::string_view* text) {
  size_t letters = 0;
  while (letters < text->size() && (*text)[letters] >= 'A' &&
         (*text)[letters] <= 'Z') {
    ++letters;
  }
  const absl::string_view kind = text->substr(0, letters);
  for (int k = 0; k < kNumWorkKinds; ++k) {
    if (kLetters[k] == kind) {
      text->remove_prefix(letters);
      return static_cast<WorkKind>(k);
    }
  }
  return std::nullopt;
}

std::optional<int32_t> ConsumeNumber(absl::string_view* text, int32_t max) {
  int64_t value = 0;
  size_t digits = 0;
  while (digits < text->size() && (*text)[digits] >= '0' &&
         (*text)[digits] <= '9') {
    value = value * 10 + ((*text)[digits] - '0');
    if (value > max) return std::nullopt;
    ++digits;
  }
  if (digits == 0 || (digits > 1 && text->front() == '0')) return std::nullopt;
  text->remove_prefix(digits);
  return static_cast<int32_t>(value);
}

bool ConsumeDot(absl::string_view* text) {
  if (text->empty() || text->front() != '.') return false;
  text->remove_prefix(1);
  return true;
}

bool ConsumeWord(absl::string_view word, absl::string_view* text) {
  if (text->substr(0, word.size()) != word) return false;
  text->remove_prefix(word.size());
  return true;
}

std::optional<WorkItem> Parse(absl::string_view text) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  WorkItem item;
  std::optional<WorkKind> kind = ConsumeKind(&text);
  if (!kind) return std::nullopt;
  item.kind = *kind;
  std::optional<int32_t> stage = ConsumeNumber(&text, kMax);
  if (!stage) return std::nullopt;
  item.stage = *stage;
  if ((IsSend(*kind) && ConsumeWord("to", &text)) ||
      (IsReceive(*kind) && ConsumeWord("from", &text))) {
    std::optional<int32_t> peer = ConsumeNumber(&text, kMax);
    if (!peer || *peer == *stage) return std::nullopt;
    if (*peer != NeighbourOf(*kind, *stage)) item.peer = *peer;
  }
  if (!ConsumeDot(&text)) return std::nullopt;
  std::optional<int32_t> micro_batch = ConsumeNumber(&text, kMax);
  if (!micro_batch) return std::nullopt;
  item.micro_batch = *micro_batch;
  if (IsReceive(*kind) && ConsumeDot(&text)) {
    std::optional<int32_t> slot =
        ConsumeNumber(&text, std::numeric_limits<int16_t>::max());
    if (!slot) return std::nullopt;
    item.slot = static_cast<int16_t>(*slot);
  }
  if (!text.empty()) return std::nullopt;
  return item;
}

}  // namespace

absl::string_view KindLetters(WorkKind kind) {
  return kLetters[static_cast<int>(kind)];
}

void AppendItem(const WorkItem& item, std::string* out) {
  absl::StrAppend(out, KindLetters(item.kind), item.stage);
  if (item.peer >= 0) {
    absl::StrAppend(out, IsReceive(item.kind) ? "from" : "to", item.peer);
  }
  absl::StrAppend(out, ".", item.micro_batch);
  if (item.slot >= 0) absl::StrAppend(out, ".", static_cast<int>(item.slot));
}

std::string ToString(const WorkItem& item) {
  std::string text;
  AppendItem(item, &text);
  return text;
}

absl::StatusOr<WorkItem> ParseWorkItem(absl::string_view text) {
  if (std::optional<WorkItem> item = Parse(text)) return *item;
  return absl::InvalidArgumentError(absl::StrCat(
      "expected <kind><stage>.<micro-batch>[.<slot>], got '", text, "'"));
}

}  // namespace octopipe
