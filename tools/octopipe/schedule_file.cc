#include "tools/octopipe/schedule_file.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "compiler/artifact/file_io.h"
#include "compiler/artifact/schedule_proto.h"
#include "compiler/base/status_macros.h"
#include "compiler/search/policy_sweep.h"

namespace octopipe {

absl::StatusOr<Artifact> ReadSchedule(const std::string& path) {
  OCTOPIPE_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  absl::StatusOr<Artifact> artifact = DecodeSchedule(contents);
  if (!artifact.ok()) return InFile(DisplayName(path), artifact.status());
  return artifact;
}

absl::StatusOr<Nanos> BaselineMakespan(const Problem& problem) {
  const SweepCandidate baseline = EvaluateBaseline(problem);
  if (!baseline.refusal.ok()) return baseline.refusal;
  return baseline.makespan_ns;
}

int TerminalWidth() {
  winsize size;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return std::clamp<int>(size.ws_col, 60, 160);
  }
  return 100;
}

}  // namespace octopipe
