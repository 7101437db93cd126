// Schedules from files, and what is printed of them.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_SCHEDULE_FILE_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_SCHEDULE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"
#include "compiler/base/units.h"

namespace octopipe {

// Reads the schedule `path`, text or binary. Errors begin with the path.
absl::StatusOr<Artifact> ReadSchedule(const std::string& path);

// The makespan of the even split with 1F1B, one stage a device; the error says
// why that is no plan: fewer blocks than devices, or too little memory.
absl::StatusOr<Nanos> BaselineMakespan(const Problem& problem);

// Columns of the terminal, or 100.
int TerminalWidth();

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_SCHEDULE_FILE_H_
