// How many micro-batches each stage may have in flight.
//
// A greedy order under a cap fills the memory of a device with the forwards of
// its first stage, and its other stages starve. In a pipeline that flows, stage
// s holds a micro-batch from its F to its W, a life of about the chain of work
// between them; with one micro-batch every period it holds life / period of
// them (Little's law). A window of that many, or a little more, lets every
// stage have its share: 1F1B is the special case of one stage a device and a
// window of D − s.

#ifndef OCTOPIPE_COMPILER_SEARCH_STAGE_WINDOWS_H_
#define OCTOPIPE_COMPILER_SEARCH_STAGE_WINDOWS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// Windows for lives that waiting stretches to `stretch_permille`/1000 of the
// chain of work. `tails` are those of KeyScheduler. Where they overfill a
// device
// (`capacity`, static bytes included; 0: not limited) the largest shrink until
// they fit, but not below 1; with `fill` they grow, the most wanting first, as
// long as they fit.
std::vector<int> FlowWindows(const StageTable& table,
                             absl::Span<const Nanos> tails,
                             absl::Span<const Bytes> capacity,
                             int64_t stretch_permille, bool fill);

// Changes the windows of one or a few stages by one, or hands one micro-batch's
// room from a stage to another of its device. Every window stays from 1 to
// `micro_batches`. `windows` is not empty.
void MoveWindows(absl::Span<const int> device_of_stage, int micro_batches,
                 std::mt19937_64& random, std::vector<int>* windows);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_STAGE_WINDOWS_H_
