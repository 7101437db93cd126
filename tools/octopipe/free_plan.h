// What a restriction of the search costs.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_FREE_PLAN_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_FREE_PLAN_H_

#include <optional>
#include <string>

#include "compiler/artifact/artifact.h"
#include "tools/octopipe/tune_flags.h"

namespace octopipe {

// Searches for a plan of the artifact's problem once more, with the same
// budget, but without target, pins and cut, and says by how much the artifact's
// plan is longer. nullopt if nothing was restricted.
std::optional<std::string> CostOfRestriction(const Artifact& artifact,
                                             const TuneFlags& flags,
                                             bool split_backward);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_FREE_PLAN_H_
