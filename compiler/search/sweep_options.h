// What a sweep over policies may vary and what it keeps fixed.

#ifndef OCTOPIPE_COMPILER_SEARCH_SWEEP_OPTIONS_H_
#define OCTOPIPE_COMPILER_SEARCH_SWEEP_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/search/search_space.h"
#include "compiler/simulator/policy.h"

namespace octopipe {

enum class PartitionObjective { kEven, kMinMax, kMinVariance, kGiven };
enum class PlacementStrategy { kLoop, kWave, kBalanced, kGiven };

// "even", "min-max", "min-variance", "given"; "loop", "v", "balanced", "given".
absl::string_view PartitionObjectiveName(PartitionObjective objective);
absl::string_view PlacementStrategyName(PlacementStrategy strategy);

// A field that is set is kept fixed.
struct SweepOptions {
  // A named schedule or a list policy; "list" stands for all list policies.
  std::optional<std::string> policy;
  // Stages. Otherwise, for D devices, D, 2D, 3D, 4D, 6D, 8D, 12D, … up to
  // `max_stages` and the number of layers, and that number itself within
  // `max_stages`; or what `boundaries` and `map` say.
  std::optional<int> stages;
  int max_stages = 64;
  // kGiven takes `boundaries`, the first layer of each stage but stage 0;
  // boundaries alone mean it. Otherwise even, min-max and min-variance.
  std::optional<PartitionObjective> partition;
  std::vector<int> boundaries;
  // kGiven takes `map`, the device of each stage; a map alone means it.
  // Otherwise loop, wave and balanced.
  std::optional<PlacementStrategy> placement;
  std::vector<int> map;
  // kNever refuses the schedules that split the backward, kAlways the others.
  // List policies follow it.
  BackwardSplit split = BackwardSplit::kAuto;
  // What partitions and placements must keep; those made for it are tried
  // besides. Not owned; nullptr: nothing.
  const SpaceFilter* space = nullptr;
  // Where all candidates together have more items than this, the most promising
  // go first - the layouts whose busiest device has least to do, and the list
  // policies before the named schedules -, what that device alone makes too
  // long is left out, and once so many items are scheduled and there is a plan,
  // the sweep ends. 0: no limit.
  int64_t most_items = 0;
  // Asked between candidates; once it says so and there is a plan, the sweep
  // ends with the best so far.
  std::function<bool()> cancel;
  // Called after each candidate with the number done and their total.
  std::function<void(int done, int total)> progress;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SWEEP_OPTIONS_H_
