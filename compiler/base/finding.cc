#include "compiler/base/finding.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace octopipe {
namespace {

constexpr char kPayloadUrl[] = "octopipe/finding";

constexpr std::array<const char*, 33> kRuleNames = {
    "no-layers",
    "no-devices",
    "micro-batch-count",
    "negative-cost",
    "overflow",
    "cycle",
    "duplicate-name",
    "bad-link",
    "shared-parameters",
    "bad-speed",
    "stage-not-contiguous",
    "stage-empty",
    "layers-uncovered",
    "stage-without-device",
    "unknown-device",
    "item-missing",
    "item-repeated",
    "item-invalid",
    "item-on-wrong-device",
    "backward-mixed",
    "backward-not-splittable",
    "data-flow",
    "deadlock",
    "memory-exceeded",
    "order-changed",
    "transfer-missing",
    "transfer-repeated",
    "transfer-invalid",
    "transfer-flow",
    "transfer-bytes",
    "channel-order",
    "slot-in-use",
    "slots-too-few",
};
static_assert(kRuleNames.size() == static_cast<size_t>(Rule::kSlotsTooFew) + 1);

struct Payload {
  Rule rule;
  Subject subject;
};

std::optional<Payload> PayloadOf(const absl::Status& status) {
  const auto cord = status.GetPayload(kPayloadUrl);
  if (!cord) return std::nullopt;
  const std::string text(*cord);
  const std::vector<std::string> parts = absl::StrSplit(text, ' ');
  int rule, kind;
  Payload payload;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &rule) ||
      !absl::SimpleAtoi(parts[1], &kind) ||
      !absl::SimpleAtoi(parts[2], &payload.subject.index) ||
      !absl::SimpleAtoi(parts[3], &payload.subject.position)) {
    return std::nullopt;
  }
  payload.rule = static_cast<Rule>(rule);
  payload.subject.kind = static_cast<SubjectKind>(kind);
  return payload;
}

}  // namespace

const char* RuleName(Rule rule) {
  return kRuleNames[static_cast<size_t>(rule)];
}

absl::Status ErrorAt(absl::StatusCode code, Rule rule, Subject subject,
                     std::string message) {
  absl::Status status(code, message);
  status.SetPayload(kPayloadUrl, absl::Cord(absl::StrCat(
                                     static_cast<int>(rule), " ",
                                     static_cast<int>(subject.kind), " ",
                                     subject.index, " ", subject.position)));
  return status;
}

absl::Status ToStatus(const std::vector<Finding>& findings) {
  if (findings.empty()) return absl::OkStatus();
  const Finding& first = findings.front();
  return ErrorAt(first.rule == Rule::kMemoryExceeded
                     ? absl::StatusCode::kResourceExhausted
                     : absl::StatusCode::kInvalidArgument,
                 first.rule, first.subject,
                 absl::StrJoin(findings, "; ",
                               [](std::string* out, const Finding& finding) {
                                 out->append(finding.message);
                               }));
}

std::optional<Subject> SubjectOf(const absl::Status& status) {
  if (std::optional<Payload> payload = PayloadOf(status))
    return payload->subject;
  return std::nullopt;
}

std::optional<Rule> RuleOf(const absl::Status& status) {
  if (std::optional<Payload> payload = PayloadOf(status)) return payload->rule;
  return std::nullopt;
}

}  // namespace octopipe
