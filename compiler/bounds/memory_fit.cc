#include "compiler/bounds/memory_fit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/certificate.h"
#include "compiler/bounds/layer_order.h"
#include "compiler/bounds/layer_packing.h"

namespace octopipe {

std::optional<std::string> WhyNothingFits(const Problem& problem) {
  LayerPacking packing(problem, Numbering::kByHead, /*with_memory=*/true);
  if (packing.FitsIn(LayerPacking::kForever) != Fit::kDoesNotFit) {
    return std::nullopt;
  }
  const std::vector<Bytes> need = LeastBytes(problem, packing.order());
  const auto largest = std::max_element(need.begin(), need.end());
  Bytes total = 0, room = 0, most = 0;
  for (Bytes bytes : need) total += bytes;
  for (const Device& device : problem.devices) {
    room += device.memory_bytes;
    most = std::max(most, device.memory_bytes);
  }
  if (*largest > most) {
    return absl::StrCat("layer '", problem.layers[largest - need.begin()].name,
                        "' alone needs ", BytesText(*largest),
                        " for one micro-batch, and the largest device has ",
                        BytesText(most));
  }
  return absl::StrCat(
      "the layers need ", BytesText(total), " for one micro-batch, and ",
      DevicesText(static_cast<int>(problem.devices.size())), " with ",
      BytesText(room),
      total > room ? " in all" : " in all have no room for them, whole");
}

}  // namespace octopipe
