// How far a search is, for people who wait for it.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_PROGRESS_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_PROGRESS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "compiler/search/tuner_options.h"

namespace octopipe {

// On a terminal one line that is written over and over, ten times a second at
// most; elsewhere, a log say, a line every ten seconds.
class ProgressText {
 public:
  // `label` goes before each line.
  ProgressText(bool is_terminal, absl::string_view label)
      : is_terminal_(is_terminal), label_(label) {}

  // What to write now; "" if it is too early for another line.
  std::string Next(const TunerProgress& progress);

  // What to write after the last line.
  std::string End() const { return is_terminal_ && shown_ ? "\n" : ""; }

 private:
  const bool is_terminal_;
  const std::string label_;
  bool shown_ = false;
  double shown_at_s_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_PROGRESS_H_
