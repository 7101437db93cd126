// How the makespan of a plan spreads where nothing takes exactly as long as
// measured.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_JITTER_H_
#define OCTOPIPE_COMPILER_SIMULATOR_JITTER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// Of a sample, every item and every message takes 1 + jitter · z times as long
// as the table says, never less than nothing, each with its own z: the heads of
// 64 fair coins less 32, over 4. That has mean 0 and standard deviation 1, is
// nearly normal, and is made of whole numbers, so it is the same on every
// machine. Of a message both bytes and latency count.
struct JitterOptions {
  // The standard deviation, in 1/1,000,000 of a duration.
  int64_t jitter_ppm = 50'000;
  int samples = 1000;
  uint64_t seed = 0;
  int threads = 1;  // do not change the result
};

// Of the makespans of all samples; a percentile is the least that so many of
// them do not exceed.
struct MakespanSpread {
  Nanos exact_ns = 0;  // without jitter
  Nanos mean_ns = 0;   // rounded to the nearest
  Nanos min_ns = 0;
  Nanos p50_ns = 0;
  Nanos p95_ns = 0;
  Nanos p99_ns = 0;
  Nanos max_ns = 0;
};

// Runs `order` under the full model of evaluate.h once for each sample. The
// n-th sample depends on seed and n alone, so plans of one shape meet the same
// luck. InvalidArgument for less than one sample or thread, a negative jitter,
// and what EvaluateOrder refuses. O(samples · items · log devices).
absl::StatusOr<MakespanSpread> SampleMakespans(const StageTable& table,
                                               const Order& order,
                                               const JitterOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_JITTER_H_
