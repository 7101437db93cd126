// The metrics of a plan as JSON, for scripts and regression tests.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_METRICS_JSON_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_METRICS_JSON_H_

#include <optional>
#include <string>

#include "compiler/artifact/artifact.h"
#include "tools/octopipe/jitter_flags.h"

namespace octopipe {

// An object, indented by two, with a final line break:
//   makespan_ns, work_bound_ns, bound_ns   nanoseconds
//   bound                                  kind of the bound that binds
//   gap                                    makespan / bound − 1
//   bubble_permille                        idle share of all device time
//   policy                                 name
//   stages    [{layers: [names], device: name}]
//   devices   [{name, busy_ns, warmup_ns, cooldown_ns, inner_ns,
//               inner_data_ns, inner_transfer_ns, static_bytes, peak_bytes}]
//   jitter    {jitter_ppm, samples, seed, mean_ns, p50_ns, p95_ns, p99_ns,
//              min_ns, max_ns} of the makespan, if there is a report on it
std::string MetricsJson(
    const Artifact& artifact,
    const std::optional<JitterReport>& jitter = std::nullopt);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_METRICS_JSON_H_
