#include "compiler/import/adjust_layers.h"

#include "absl/status/status.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/base/status_macros.h"
#include "compiler/import/degenerate_fit.h"
#include "compiler/import/fold_ends.h"

namespace octopipe {
namespace {

// Neither overflows: times are at most kMaxTotal, and so is `round_ns`.
Nanos Round(Nanos ns, Nanos round_ns) {
  const Nanos rest = ns % round_ns;
  return ns - rest + (rest >= round_ns - rest ? round_ns : 0);
}

void RoundTimes(Nanos round_ns, LayerTimes* times) {
  times->f_ns = Round(times->f_ns, round_ns);
  times->b_ns = Round(times->b_ns, round_ns);
  times->w_ns = Round(times->w_ns, round_ns);
}

// Splits the whole backward in b_ns; B is rounded to the nearest ns, halves up.
void SplitBackward(int permille, LayerTimes* times) {
  const Nanos whole = times->b_ns;
  times->b_ns =
      whole / 1000 * permille + (whole % 1000 * permille + 500) / 1000;
  times->w_ns = whole - times->b_ns;
}

void FillBytes(const ImportOptions& options, Layer* layer) {
  auto fill = [](Bytes* bytes, Bytes value) {
    if (*bytes == 0) *bytes = value;
  };
  LayerMemory& memory = layer->cost.memory;
  if (layer->cost.role == LayerRole::kBlock) {
    if (memory.saved_b_bytes == 0) {
      fill(&memory.saved_w_bytes, options.activation_bytes_per_layer);
    }
    fill(&memory.param_bytes, options.param_bytes_per_layer);
  }
  if (layer->output_bytes == 0) {
    fill(&layer->output_grad_bytes, options.output_bytes_per_layer);
  }
  fill(&layer->output_bytes, options.output_bytes_per_layer);
}

}  // namespace

absl::Status CheckImportOptions(const ImportOptions& options) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("", "round_ns", options.round_ns, 1, kMaxTotal));
  OCTOPIPE_RETURN_IF_ERROR(CheckRange(
      "", "backward_split_permille", options.backward_split_permille, 0, 1000));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("", "activation_bytes_per_layer",
                                         options.activation_bytes_per_layer));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("", "param_bytes_per_layer",
                                         options.param_bytes_per_layer));
  return CheckQuantity("", "output_bytes_per_layer",
                       options.output_bytes_per_layer);
}

absl::StatusOr<std::vector<std::string>> AdjustLayers(
    const ImportOptions& options, bool whole_backward,
    std::vector<Layer>& layers) {
  OCTOPIPE_RETURN_IF_ERROR(CheckImportOptions(options));
  std::vector<std::string> warnings = DegenerateFits(layers, whole_backward);
  for (Layer& layer : layers) {
    RoundTimes(options.round_ns, &layer.cost.times);
    for (auto& on : layer.cost.times_on) {
      RoundTimes(options.round_ns, &on.second);
    }
    if (whole_backward) {
      SplitBackward(options.backward_split_permille, &layer.cost.times);
    }
    FillBytes(options, &layer);
  }
  if (options.fold_ends) OCTOPIPE_RETURN_IF_ERROR(FoldEnds(layers));
  return warnings;
}

}  // namespace octopipe
