#include "compiler/artifact/make_artifact.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/base/status_macros.h"
#include "compiler/bounds/advice.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/simulator/evaluate.h"

namespace octopipe {
namespace {

absl::Status Differs(absl::string_view what, int64_t stored, int64_t found) {
  return absl::DataLossError(absl::StrCat("the schedule says ", what, " ",
                                          stored, ", the simulator finds ",
                                          found, "; plan again"));
}

absl::Status CompareDevices(const Metrics& stored, const Metrics& found) {
  for (size_t d = 0; d < found.devices.size(); ++d) {
    const DeviceMetrics& a = stored.devices[d];
    const DeviceMetrics& b = found.devices[d];
    const struct {
      const char* what;
      int64_t stored, found;
    } figures[] = {
        {"busy_ns", a.busy_ns, b.busy_ns},
        {"warmup_ns", a.warmup_ns, b.warmup_ns},
        {"cooldown_ns", a.cooldown_ns, b.cooldown_ns},
        {"inner_ns", a.inner_ns, b.inner_ns},
        {"inner_data_ns", a.inner_data_ns, b.inner_data_ns},
        {"inner_transfer_ns", a.inner_transfer_ns, b.inner_transfer_ns},
        {"static_bytes", a.static_bytes, b.static_bytes},
        {"peak_bytes", a.peak_bytes, b.peak_bytes},
        {"peak_item", a.peak_item, b.peak_item}};
    for (const auto& figure : figures) {
      if (figure.stored == figure.found) continue;
      return Differs(absl::StrCat("device ", d, " ", figure.what),
                     figure.stored, figure.found);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Artifact> MakeArtifact(Problem problem, Plan plan,
                                      Provenance made_by) {
  OCTOPIPE_RETURN_IF_ERROR(ToStatus(CheckProblem(problem)));
  OCTOPIPE_RETURN_IF_ERROR(ToStatus(VerifyPlan(problem, plan)));
  const StageTable table =
      BuildStageTable(problem, plan.partition, plan.placement);
  Artifact artifact;
  OCTOPIPE_ASSIGN_OR_RETURN(artifact.timeline,
                            EvaluateOrder(table, plan.order));
  artifact.metrics = MeasureTimeline(table, plan.order, artifact.timeline);
  artifact.bounds = AllBounds(problem);
  Advise(problem, artifact.bounds);
  artifact.gap_ppm =
      GapPpm(artifact.metrics.makespan_ns, LargestBound(artifact.bounds)->ns);
  artifact.problem = std::move(problem);
  artifact.plan = std::move(plan);
  artifact.made_by = std::move(made_by);
  return artifact;
}

absl::Status CompareArtifacts(const Artifact& stored, const Artifact& found) {
  if (stored.metrics.makespan_ns != found.metrics.makespan_ns) {
    return Differs("makespan_ns", stored.metrics.makespan_ns,
                   found.metrics.makespan_ns);
  }
  for (size_t d = 0; d < found.timeline.start_ns.size(); ++d) {
    const auto& said = stored.timeline.start_ns[d];
    const auto& expected = found.timeline.start_ns[d];
    const auto at = std::mismatch(said.begin(), said.end(), expected.begin(),
                                  expected.end());
    if (at.first == said.end()) continue;
    return Differs(absl::StrCat("device ", d, " item ", at.first - said.begin(),
                                " starts at"),
                   *at.first, *at.second);
  }
  OCTOPIPE_RETURN_IF_ERROR(CompareDevices(stored.metrics, found.metrics));
  const Nanos makespan_ns = found.metrics.makespan_ns;
  for (const Bound& bound : stored.bounds) {
    if (bound.ns <= makespan_ns) continue;
    return absl::DataLossError(absl::StrCat(
        "the schedule says ", BoundKindName(bound.kind), " bound_ns ", bound.ns,
        ", which its makespan_ns ", makespan_ns, " beats; plan again"));
  }
  const Bound* largest = LargestBound(stored.bounds);
  if (largest == nullptr) return absl::OkStatus();
  const int64_t gap_ppm = GapPpm(makespan_ns, largest->ns);
  if (stored.gap_ppm != gap_ppm) {
    return Differs("gap_ppm", stored.gap_ppm, gap_ppm);
  }
  return absl::OkStatus();
}

}  // namespace octopipe
