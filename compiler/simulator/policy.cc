#include "compiler/simulator/policy.h"

#include <array>

namespace octopipe {
namespace {

struct RuleText {
  absl::string_view name;
  absl::string_view reason;
};

// In the order of TieBreak.
constexpr std::array<RuleText, 7> kRules = {{
    {"backward-before-forward", "a backward frees activations"},
    {"forward-before-backward", "a forward feeds the devices behind"},
    {"weight-gradient-last", "no other device waits for a weight gradient"},
    {"deepest-stage", "the stage nearest to the loss goes first"},
    {"shallowest-stage", "the stage farthest from the loss goes first"},
    {"oldest-micro-batch", "the oldest micro-batch goes first"},
    {"longest-tail", "the longest chain of work waits for it"},
}};
static_assert(kRules.size() == static_cast<size_t>(TieBreak::kLongestTail) + 1);

}  // namespace

absl::string_view TieBreakName(TieBreak rule) {
  return kRules[static_cast<size_t>(rule)].name;
}

absl::string_view TieBreakReason(TieBreak rule) {
  return kRules[static_cast<size_t>(rule)].reason;
}

}  // namespace octopipe
