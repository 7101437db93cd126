#include "compiler/search/space_text.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

// The index of what `text` names among `all`.
template <typename T>
absl::StatusOr<int> Find(const std::vector<T>& all, absl::string_view what,
                         absl::string_view text) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == text) return static_cast<int>(i);
  }
  int index;
  if (absl::SimpleAtoi(text, &index) && index >= 0 &&
      index < static_cast<int>(all.size())) {
    return index;
  }
  return absl::NotFoundError(absl::StrCat("there is no ", what, " '", text,
                                          "'; give a name or 0 to ",
                                          all.size() - 1));
}

}  // namespace

absl::StatusOr<int> ParseLayer(const Problem& problem, absl::string_view text) {
  return Find(problem.layers, "layer", text);
}

absl::StatusOr<LayerRange> ParseLayerRange(const Problem& problem,
                                           absl::string_view text) {
  const absl::StatusOr<int> whole = ParseLayer(problem, text);
  if (whole.ok()) return LayerRange{*whole, *whole};
  const size_t dots = text.find("..");
  if (dots == absl::string_view::npos) return whole.status();
  LayerRange range;
  OCTOPIPE_ASSIGN_OR_RETURN(range.first,
                            ParseLayer(problem, text.substr(0, dots)));
  OCTOPIPE_ASSIGN_OR_RETURN(range.last,
                            ParseLayer(problem, text.substr(dots + 2)));
  return range;
}

absl::StatusOr<DevicePin> ParseDevicePin(const Problem& problem,
                                         absl::string_view text) {
  const size_t sign = text.rfind('=');
  if (sign == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text,
                     "' is no pin; expected LAYER=DEVICE or "
                     "LAYER..LAYER=DEVICE"));
  }
  DevicePin pin;
  OCTOPIPE_ASSIGN_OR_RETURN(pin.layers,
                            ParseLayerRange(problem, text.substr(0, sign)));
  OCTOPIPE_ASSIGN_OR_RETURN(
      pin.device, Find(problem.devices, "device", text.substr(sign + 1)));
  return pin;
}

absl::StatusOr<SearchSpace> ParseSearchSpace(const Problem& problem,
                                             const SpaceText& text) {
  SearchSpace space;
  if (!text.target.empty()) {
    OCTOPIPE_ASSIGN_OR_RETURN(space.target, FindRuntimeTarget(text.target));
  }
  if (!text.boundaries.empty()) {
    Partition partition;
    partition.begin.insert(partition.begin.end(), text.boundaries.begin(),
                           text.boundaries.end());
    partition.begin.push_back(static_cast<int>(problem.layers.size()));
    space.partition = std::move(partition);
  }
  for (const std::string& stage : text.stages) {
    OCTOPIPE_ASSIGN_OR_RETURN(const LayerRange range,
                              ParseLayerRange(problem, stage));
    space.stages.push_back(range);
  }
  for (const std::string& device : text.devices) {
    OCTOPIPE_ASSIGN_OR_RETURN(const DevicePin pin,
                              ParseDevicePin(problem, device));
    space.devices.push_back(pin);
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckSearchSpace(problem, space));
  return space;
}

absl::Status KeepWhole(const std::vector<std::string>& layers,
                       Problem* problem) {
  for (const std::string& name : layers) {
    OCTOPIPE_ASSIGN_OR_RETURN(const LayerRange range,
                              ParseLayerRange(*problem, name));
    for (int l = range.first; l <= range.last; ++l) {
      problem->layers[l].cost.splittable = false;
    }
  }
  return absl::OkStatus();
}

}  // namespace octopipe
