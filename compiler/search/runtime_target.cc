#include "compiler/search/runtime_target.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

// What follows is what each runtime's reader demands, not what it recommends.
constexpr TargetRules kTargets[] = {
    {RuntimeTarget::kNative, "native", "any plan", StageRule::kAny, false,
     false, true, false},
    {RuntimeTarget::kTorch, "torch",
     "a chain of stages on any devices, forwards of a stage in turn",
     StageRule::kAny, true, true, true, false},
    {RuntimeTarget::kTorchtitan, "torchtitan",
     "equally many stages a device, in a loop or two each in a V, forwards of "
     "a stage in turn",
     StageRule::kLoopOrV, true, true, true, false},
    {RuntimeTarget::kMegatron, "megatron",
     "equally many stages a device in a loop, 1F1B, or interleaved on more "
     "than 2 devices with a multiple of as many micro-batches, backwards whole",
     StageRule::kLoop, true, true, false, true},
    {RuntimeTarget::kDeepspeed, "deepspeed",
     "one stage a device in their order, 1F1B, backwards whole",
     StageRule::kOneEach, true, true, false, true},
};

}  // namespace

absl::Span<const TargetRules> RuntimeTargets() { return kTargets; }

const TargetRules& RulesOf(RuntimeTarget target) {
  return kTargets[static_cast<int>(target)];
}

absl::StatusOr<RuntimeTarget> FindRuntimeTarget(absl::string_view name) {
  std::string known;
  for (const TargetRules& rules : kTargets) {
    if (rules.name == name) return rules.target;
    absl::StrAppend(&known, known.empty() ? "" : ", ", rules.name);
  }
  return absl::NotFoundError(
      absl::StrCat("unknown target '", name, "'; expected one of ", known));
}

}  // namespace octopipe
