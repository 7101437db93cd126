// What a profile leaves open, filled in.

#ifndef OCTOPIPE_COMPILER_IMPORT_ADJUST_LAYERS_H_
#define OCTOPIPE_COMPILER_IMPORT_ADJUST_LAYERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Applied in this order.
struct ImportOptions {
  // Every time becomes the nearest multiple, halves up. A whole backward is
  // rounded before it is split.
  Nanos round_ns = 1;
  // B's share of a backward that was measured as a whole; W gets the rest.
  int backward_split_permille = 500;
  // For layers whose profile has 0 there. The first two are for blocks alone:
  // an embedding or head that is a layer of its own has none. Activations live
  // until the weight gradient has run (saved_w_bytes).
  Bytes activation_bytes_per_layer = 0;
  Bytes param_bytes_per_layer = 0;
  Bytes output_bytes_per_layer = 0;  // hidden state, and its gradient
  // Makes the embedding part of the first block and the head of the last; see
  // fold_ends.h.
  bool fold_ends = false;
};

// InvalidArgument names the option that is out of range.
absl::Status CheckImportOptions(const ImportOptions& options);

// Applies `options`. With `whole_backward` b_ns holds the whole backward, and
// is split. Returns what a user should know, one sentence each; see
// degenerate_fit.h. The errors of CheckImportOptions and FoldEnds.
absl::StatusOr<std::vector<std::string>> AdjustLayers(
    const ImportOptions& options, bool whole_backward,
    std::vector<Layer>& layers);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_ADJUST_LAYERS_H_
