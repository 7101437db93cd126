// The embedding and the head as parts of the blocks beside them.

#ifndef OCTOPIPE_COMPILER_IMPORT_FOLD_ENDS_H_
#define OCTOPIPE_COMPILER_IMPORT_FOLD_ENDS_H_

#include <vector>

#include "absl/status/status.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Merges an embedding that is the first layer into the block after it, and a
// head that is the last into the block before: times and bytes add up, of
// workspaces the larger counts, and the merged layer is named after both
// ("embed+mamba.0"). A model without them stays as it is. InvalidArgument if an
// embedding or a head stands elsewhere, feeds or reads more than that block,
// shares its parameters, or was measured on other device kinds.
absl::Status FoldEnds(std::vector<Layer>& layers);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_FOLD_ENDS_H_
