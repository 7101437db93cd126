// Rules of a search space as people write them.

#ifndef OCTOPIPE_COMPILER_SEARCH_SPACE_TEXT_H_
#define OCTOPIPE_COMPILER_SEARCH_SPACE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/search_space.h"

namespace octopipe {

// A layer by name or index: "block.3", "12". A name goes before an index.
// NotFound, in both cases, says how many layers there are.
absl::StatusOr<int> ParseLayer(const Problem& problem, absl::string_view text);

// "block.3..block.5", "3..5" or one layer.
absl::StatusOr<LayerRange> ParseLayerRange(const Problem& problem,
                                           absl::string_view text);

// "block.3..block.5=gpu1", "3=1": layers and a device by name or index.
absl::StatusOr<DevicePin> ParseDevicePin(const Problem& problem,
                                         absl::string_view text);

// A search space as options give it.
struct SpaceText {
  std::string target;                // "" is native
  std::vector<int> boundaries;       // first layer of each stage but 0
  std::vector<std::string> stages;   // see ParseLayerRange
  std::vector<std::string> devices;  // see ParseDevicePin
};

// The space, which CheckSearchSpace has accepted.
absl::StatusOr<SearchSpace> ParseSearchSpace(const Problem& problem,
                                             const SpaceText& text);

// No layer of `layers` is split from now on.
absl::Status KeepWhole(const std::vector<std::string>& layers,
                       Problem* problem);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_SPACE_TEXT_H_
