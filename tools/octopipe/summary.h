// A plan in words and a table, for a person at a terminal.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_

#include <optional>
#include <string>

#include "compiler/artifact/artifact.h"
#include "compiler/base/units.h"

namespace octopipe {

// What the model is, a row per device (stages, busy, bubbles, memory), then
// makespan, bound, gap, the speed-up over `baseline_ns` (the even split with
// 1F1B, where it exists), and a Gantt chart where it fits `width` columns.
std::string SummaryText(const Artifact& artifact,
                        std::optional<Nanos> baseline_ns, int width);

// Each device's program, wrapped to `width` columns.
std::string ProgramsText(const Artifact& artifact, int width);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_
