// Names for layers that have none.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_LAYER_NAMES_H_
#define OCTOPIPE_COMPILER_ARTIFACT_LAYER_NAMES_H_

#include <vector>

#include "compiler/schedule/problem.h"

namespace octopipe {

// Names every unnamed layer after its kind and its place among the layers of
// that kind: "mamba.0", "attention.0", "mamba.1". The only embedding is "embed"
// and the only head "head". Names that are given stay.
void NameLayers(std::vector<Layer>& layers);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_LAYER_NAMES_H_
