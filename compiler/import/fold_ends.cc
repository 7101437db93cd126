#include "compiler/import/fold_ends.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

absl::Status CannotFold(const Layer& layer, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("cannot fold layer '", layer.name, "' into a block: ", why,
                   "; keep it as a layer of its own"));
}

LayerTimes Add(const LayerTimes& a, const LayerTimes& b) {
  return {a.f_ns + b.f_ns, a.b_ns + b.b_ns, a.w_ns + b.w_ns};
}

LayerMemory Add(const LayerMemory& a, const LayerMemory& b) {
  LayerMemory sum;
  sum.param_bytes = a.param_bytes + b.param_bytes;
  sum.grad_bytes = a.grad_bytes + b.grad_bytes;
  sum.optimizer_bytes = a.optimizer_bytes + b.optimizer_bytes;
  sum.saved_b_bytes = a.saved_b_bytes + b.saved_b_bytes;
  sum.saved_w_bytes = a.saved_w_bytes + b.saved_w_bytes;
  sum.f_workspace_bytes = std::max(a.f_workspace_bytes, b.f_workspace_bytes);
  sum.b_workspace_bytes = std::max(a.b_workspace_bytes, b.b_workspace_bytes);
  return sum;
}

// `end` is the embedding or the head among `first` and `second`.
absl::Status CheckFold(const Layer& first, const Layer& second,
                       const Layer& end) {
  const Layer& block = &end == &first ? second : first;
  if (block.cost.role != LayerRole::kBlock) {
    return CannotFold(end,
                      absl::StrCat("its neighbour '", block.name, "' is none"));
  }
  if (!first.shares.empty() || !second.shares.empty()) {
    return CannotFold(end, "parameters are shared with another layer");
  }
  const auto& a = first.cost.times_on;
  const auto& b = second.cost.times_on;
  if (!std::equal(
          a.begin(), a.end(), b.begin(), b.end(),
          [](const auto& x, const auto& y) { return x.first == y.first; })) {
    return CannotFold(end, "the two were measured on different device kinds");
  }
  return absl::OkStatus();
}

Layer Merge(const Layer& first, const Layer& second) {
  Layer merged = second;
  merged.name = absl::StrCat(first.name, "+", second.name);
  merged.inputs = first.inputs;
  merged.cost.kind = absl::StrCat(first.cost.kind, "+", second.cost.kind);
  merged.cost.role = LayerRole::kBlock;
  merged.cost.times = Add(first.cost.times, second.cost.times);
  for (size_t i = 0; i < merged.cost.times_on.size(); ++i) {
    merged.cost.times_on[i].second =
        Add(first.cost.times_on[i].second, second.cost.times_on[i].second);
  }
  merged.cost.memory = Add(first.cost.memory, second.cost.memory);
  merged.cost.splittable = first.cost.splittable && second.cost.splittable;
  return merged;
}

absl::Status FoldEmbedding(std::vector<Layer>& layers) {
  const Layer& embedding = layers[0];
  for (size_t l = 1; l < layers.size(); ++l) {
    const std::vector<int>& inputs = layers[l].inputs;
    const bool reads = std::count(inputs.begin(), inputs.end(), 0) > 0;
    if (reads != (l == 1) || (l == 1 && inputs.size() != 1)) {
      return CannotFold(embedding,
                        absl::StrCat("layer '", layers[l].name,
                                     "' makes it more than a chain"));
    }
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckFold(layers[0], layers[1], embedding));
  layers[1] = Merge(layers[0], layers[1]);
  layers.erase(layers.begin());
  for (Layer& layer : layers) {
    for (int& input : layer.inputs) --input;
  }
  return absl::OkStatus();
}

absl::Status FoldHead(std::vector<Layer>& layers) {
  const Layer& head = layers.back();
  const int before = static_cast<int>(layers.size()) - 2;
  if (head.inputs != std::vector<int>{before}) {
    return CannotFold(head, "it does not read just the layer before it");
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckFold(layers[before], head, head));
  layers[before] = Merge(layers[before], head);
  layers.pop_back();
  return absl::OkStatus();
}

}  // namespace

absl::Status FoldEnds(std::vector<Layer>& layers) {
  for (size_t l = 0; l < layers.size(); ++l) {
    const LayerRole role = layers[l].cost.role;
    if ((role == LayerRole::kEmbedding && l != 0) ||
        (role == LayerRole::kHead && l + 1 != layers.size())) {
      return CannotFold(layers[l], "it is not at an end of the model");
    }
    if (role != LayerRole::kBlock && layers.size() == 1) {
      return CannotFold(layers[l], "there is none");
    }
  }
  if (layers.empty()) return absl::OkStatus();
  if (layers.front().cost.role == LayerRole::kEmbedding) {
    OCTOPIPE_RETURN_IF_ERROR(FoldEmbedding(layers));
  }
  if (layers.back().cost.role == LayerRole::kHead) {
    OCTOPIPE_RETURN_IF_ERROR(FoldHead(layers));
  }
  return absl::OkStatus();
}

}  // namespace octopipe
