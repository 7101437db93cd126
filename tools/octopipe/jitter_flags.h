// The flags that let durations vary, and the spread that comes of it.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_JITTER_FLAGS_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_JITTER_FLAGS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/artifact/artifact.h"
#include "compiler/simulator/jitter.h"

namespace octopipe {

struct JitterFlags {
  std::optional<int64_t> jitter_ppm;  // nullopt: not asked for
  int samples = 1000;
  uint64_t seed = 0;
};

struct JitterReport {
  JitterOptions options;
  MakespanSpread spread;
};

// --jitter, --samples and --seed; the latter two need the first.
void AddJitterFlags(CLI::App& command, JitterFlags* flags);

// Nullopt if no jitter was asked for.
absl::StatusOr<std::optional<JitterReport>> SamplePlan(
    const Artifact& artifact, const JitterFlags& flags);

// A line on what was sampled, and one for each figure, with what it is over the
// makespan without jitter.
std::string JitterText(const JitterReport& report);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_JITTER_FLAGS_H_
