// A plan in words and a table, for a person at a terminal.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/artifact/artifact.h"
#include "compiler/base/units.h"

namespace octopipe {

// What the model is, a row per device that has work (stages, busy, bubbles, and
// memory if the layers need any), then makespan, bound, gap, the speed-up over
// `baseline` (the even split with 1F1B, or why there is none), what the result
// assumes, and a Gantt chart, wrapped to `width` columns. `restriction_cost`,
// what a restriction of the search costs, gets a line if it is not empty.
std::string SummaryText(const Artifact& artifact,
                        const absl::StatusOr<Nanos>& baseline, int width,
                        absl::string_view restriction_cost = "");

// Each device's program, wrapped to `width` columns.
std::string ProgramsText(const Artifact& artifact, int width);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_SUMMARY_H_
