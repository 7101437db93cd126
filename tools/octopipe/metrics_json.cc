#include "tools/octopipe/metrics_json.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "compiler/bounds/best_bound.h"
#include "nlohmann/json.hpp"

namespace octopipe {
namespace {

// The policy of a search for one runtime is "tune target=NAME …".
absl::string_view TargetOf(absl::string_view policy) {
  for (absl::string_view word : absl::StrSplit(policy, ' ')) {
    if (absl::ConsumePrefix(&word, "target=")) return word;
  }
  return "native";
}

}  // namespace

std::string MetricsJson(const Artifact& artifact,
                        const std::optional<JitterReport>& jitter) {
  using Json = nlohmann::ordered_json;
  const Metrics& metrics = artifact.metrics;
  Json json;
  json["makespan_ns"] = metrics.makespan_ns;
  for (const Bound& bound : artifact.bounds) {
    if (bound.kind == BoundKind::kWork) json["work_bound_ns"] = bound.ns;
  }
  if (const Bound* bound = LargestBound(artifact.bounds)) {
    json["bound_ns"] = bound->ns;
    json["bound"] = std::string(BoundKindName(bound->kind));
    json["gap"] = GapPpm(metrics.makespan_ns, bound->ns) / 1e6;
  }
  json["bubble_permille"] = metrics.BubblePermille();
  json["policy"] = artifact.made_by.policy;
  json["target"] = std::string(TargetOf(artifact.made_by.policy));

  const Plan& plan = artifact.plan;
  json["stages"] = Json::array();
  for (int s = 0; s < plan.partition.stages(); ++s) {
    Json layers = Json::array();
    for (int l = plan.partition.begin[s]; l < plan.partition.begin[s + 1];
         ++l) {
      layers.push_back(artifact.problem.layers[l].name);
    }
    json["stages"].push_back(
        {{"layers", layers},
         {"device", artifact.problem.devices[plan.placement.device[s]].name}});
  }

  json["devices"] = Json::array();
  for (size_t d = 0; d < metrics.devices.size(); ++d) {
    const DeviceMetrics& device = metrics.devices[d];
    json["devices"].push_back({{"name", artifact.problem.devices[d].name},
                               {"busy_ns", device.busy_ns},
                               {"warmup_ns", device.warmup_ns},
                               {"cooldown_ns", device.cooldown_ns},
                               {"inner_ns", device.inner_ns},
                               {"inner_data_ns", device.inner_data_ns},
                               {"inner_transfer_ns", device.inner_transfer_ns},
                               {"static_bytes", device.static_bytes},
                               {"peak_bytes", device.peak_bytes}});
  }
  if (jitter) {
    const MakespanSpread& spread = jitter->spread;
    json["jitter"] = {{"jitter_ppm", jitter->options.jitter_ppm},
                      {"samples", jitter->options.samples},
                      {"seed", jitter->options.seed},
                      {"mean_ns", spread.mean_ns},
                      {"p50_ns", spread.p50_ns},
                      {"p95_ns", spread.p95_ns},
                      {"p99_ns", spread.p99_ns},
                      {"min_ns", spread.min_ns},
                      {"max_ns", spread.max_ns}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace octopipe
