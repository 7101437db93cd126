// The runtimes that a plan can be made for, and what their formats can hold.

#ifndef OCTOPIPE_COMPILER_SEARCH_RUNTIME_TARGET_H_
#define OCTOPIPE_COMPILER_SEARCH_RUNTIME_TARGET_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace octopipe {

enum class RuntimeTarget {
  kNative,      // anything that VerifyPlan accepts
  kTorch,       // torch.distributed.pipelining's schedule CSV
  kTorchtitan,  // the same CSV through torchtitan, which places stages by rule
  kMegatron,    // Megatron-LM --pipeline-model-parallel-layout
  kDeepspeed,   // DeepSpeed PipelineModule
};

enum class StageRule {
  kAny,      // any stage on any device
  kLoop,     // stage s on device s mod D, equally many on each
  kLoopOrV,  // the loop, or two on each to and fro: 0 … D−1 D−1 … 0
  kOneEach,  // stage s on device s, D stages
};

struct TargetRules {
  RuntimeTarget target;
  absl::string_view name;     // "torch"
  absl::string_view summary;  // what it can hold, in one clause
  StageRule placement;
  // Tensors go from a stage to the next one only, and every device has a stage.
  bool is_chain;
  // Each stage takes the forwards of its micro-batches in turn.
  bool is_ascending;
  // The backward may be split.
  bool can_split;
  // The order is the runtime's own: 1F1B, interleaved with several stages a
  // device.
  bool has_own_order;
};

// All, in the order of the enumeration.
absl::Span<const TargetRules> RuntimeTargets();

const TargetRules& RulesOf(RuntimeTarget target);

// NotFound lists the names.
absl::StatusOr<RuntimeTarget> FindRuntimeTarget(absl::string_view name);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_RUNTIME_TARGET_H_
