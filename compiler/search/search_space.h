// What a search must keep: a cut, stages, layers on devices, and what the
// runtime that shall run the plan can hold.

#ifndef OCTOPIPE_COMPILER_SEARCH_SEARCH_SPACE_H_
#define OCTOPIPE_COMPILER_SEARCH_SEARCH_SPACE_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/runtime_target.h"

namespace octopipe {

// Layers first … last, both included.
struct LayerRange {
  int first = 0;
  int last = 0;
};

struct DevicePin {
  LayerRange layers;
  int device = 0;
};

struct SearchSpace {
  std::optional<Partition> partition;  // the only one
  std::vector<LayerRange> stages;      // each forms a stage
  std::vector<DevicePin> devices;      // each layer runs on that device
  RuntimeTarget target = RuntimeTarget::kNative;
};

// True if `space` rules anything out.
bool IsRestricted(const SearchSpace& space);

// InvalidArgument if a layer or device is out of range or two of the rules
// contradict each other, with both and the names. What passes can still be
// empty; LayoutsInSpace (space_layouts.h) says so.
absl::Status CheckSearchSpace(const Problem& problem, const SearchSpace& space);

// `space`, which CheckSearchSpace accepts, made ready to ask quickly. Neither
// argument may go before it; `space` is copied.
class SpaceFilter {
 public:
  SpaceFilter(const Problem& problem, SearchSpace space);

  const SearchSpace& space() const { return space_; }
  const TargetRules& rules() const { return RulesOf(space_.target); }

  // Whether a valid partition and placement lie in the space. O(stages + pinned
  // layers + edges that skip layers), and allocates nothing for models without
  // such edges.
  bool Allows(const Partition& partition, const Placement& placement) const {
    return !FirstBroken(partition, placement).has_value();
  }

  // Whether layers first … last, alone, may be a stage, on `device` if that is
  // not negative.
  bool MayBeStage(int first, int last, int device) const;

  // The device that layers first … last are pinned to; −1 if none is.
  int PinOf(int first, int last) const;

  // OK, or InvalidArgument with the first rule that `plan`, which solves the
  // problem, breaks.
  absl::Status Check(const Plan& plan) const;

 private:
  enum class RuleKind { kCut, kStage, kDevice, kSkip, kIdle, kPattern };
  struct Broken {
    RuleKind kind;
    int index = 0;  // of the stage range, layer, skip edge or device
  };

  std::optional<Broken> FirstBroken(const Partition& partition,
                                    const Placement& placement) const;
  bool FollowsPattern(const Placement& placement) const;
  absl::Status CheckOrder(const Plan& plan) const;

  const Problem& problem_;
  const SearchSpace space_;
  const int devices_;
  std::vector<int> pin_;                         // of each layer, or −1
  std::vector<int> pins_before_;                 // pinned layers before each
  std::vector<std::pair<int, int>> skip_edges_;  // over at least one layer
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SEARCH_SPACE_H_
