#include "tools/octopipe/progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"

namespace octopipe {
namespace {

constexpr double kTerminalSeconds = 0.1;
constexpr double kLogSeconds = 10;
// Back to the first column, and away with what stands there.
constexpr char kOverwrite[] = "\r\033[K";

}  // namespace

std::string ProgressText::Next(const TunerProgress& progress) {
  // The first line of a log comes as late as the others.
  const double since = progress.seconds - shown_at_s_;
  if (is_terminal_ ? shown_ && since < kTerminalSeconds : since < kLogSeconds) {
    return "";
  }
  shown_ = true;
  shown_at_s_ = progress.seconds;
  const std::string line = absl::StrCat(
      label_, absl::StrFormat("%.0f s: ", progress.seconds), "best ",
      NanosText(progress.makespan_ns), ", bound ", NanosText(progress.bound_ns),
      absl::StrFormat(", gap %.2f %%, %.0f evaluations/s",
                      GapPpm(progress.makespan_ns, progress.bound_ns) / 1e4,
                      progress.evaluations / std::max(progress.seconds, 1e-3)));
  return is_terminal_ ? absl::StrCat(kOverwrite, line)
                      : absl::StrCat(line, "\n");
}

}  // namespace octopipe
