#include "compiler/artifact/layer_names.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

bool IsOnlyOne(const std::vector<Layer>& layers, LayerRole role) {
  return std::count_if(layers.begin(), layers.end(), [&](const Layer& layer) {
           return layer.cost.role == role;
         }) == 1;
}

}  // namespace

void NameLayers(std::vector<Layer>& layers) {
  const bool one_embedding = IsOnlyOne(layers, LayerRole::kEmbedding);
  const bool one_head = IsOnlyOne(layers, LayerRole::kHead);
  std::map<std::string, int> count;
  for (Layer& layer : layers) {
    const int number = count[layer.cost.kind]++;
    if (!layer.name.empty()) continue;
    if (layer.cost.role == LayerRole::kEmbedding && one_embedding) {
      layer.name = "embed";
    } else if (layer.cost.role == LayerRole::kHead && one_head) {
      layer.name = "head";
    } else {
      layer.name = absl::StrCat(layer.cost.kind, ".", number);
    }
  }
}

}  // namespace octopipe
