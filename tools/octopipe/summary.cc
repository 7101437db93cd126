#include "tools/octopipe/summary.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/simulator/timeline_text.h"

namespace octopipe {
namespace {

// A table whose columns are as wide as their widest cell; the first two are
// flush left, the others flush right.
class TextTable {
 public:
  void AddRow(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
  }

  std::string Text() const {
    std::vector<size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      for (size_t c = 0; c < row.size(); ++c) {
        widths[c] = std::max(widths[c], row[c].size());
      }
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = " ";
      for (size_t c = 0; c < row.size(); ++c) {
        const std::string pad(widths[c] - row[c].size(), ' ');
        absl::StrAppend(&line, " ", c < 2 ? row[c] + pad : pad + row[c], " ");
      }
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&text, line, "\n");
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "0 4 8 … 60": at most six numbers.
std::string StageList(const Placement& placement, int device) {
  std::vector<int> stages;
  for (size_t s = 0; s < placement.device.size(); ++s) {
    if (placement.device[s] == device) stages.push_back(static_cast<int>(s));
  }
  if (stages.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages.size() > 6 && i == 4) {
      absl::StrAppend(&text, " … ", stages.back());
      break;
    }
    absl::StrAppend(&text, i == 0 ? "" : " ", stages[i]);
  }
  return text;
}

std::string DeviceTable(const Artifact& artifact) {
  const Metrics& metrics = artifact.metrics;
  TextTable table;
  table.AddRow({"device", "stages", "layers", "busy", "warm-up", "cool-down",
                "inner", "bubble", "peak memory"});
  for (size_t d = 0; d < metrics.devices.size(); ++d) {
    const DeviceMetrics& device = metrics.devices[d];
    int layers = 0;
    for (int s = 0; s < artifact.plan.partition.stages(); ++s) {
      if (artifact.plan.placement.device[s] == static_cast<int>(d)) {
        layers += artifact.plan.partition.begin[s + 1] -
                  artifact.plan.partition.begin[s];
      }
    }
    const Bytes capacity = artifact.problem.devices[d].memory_bytes;
    table.AddRow(
        {artifact.problem.devices[d].name,
         StageList(artifact.plan.placement, static_cast<int>(d)),
         absl::StrCat(layers), NanosText(device.busy_ns),
         NanosText(device.warmup_ns), NanosText(device.cooldown_ns),
         NanosText(device.inner_ns),
         PercentText(metrics.makespan_ns - device.busy_ns, metrics.makespan_ns),
         capacity > 0 ? absl::StrCat(BytesText(device.peak_bytes), " of ",
                                     BytesText(capacity))
                      : BytesText(device.peak_bytes)});
  }
  return table.Text();
}

std::string Ratio(Nanos numerator, Nanos denominator) {
  return absl::StrFormat("%.2fx", static_cast<double>(numerator) /
                                      static_cast<double>(denominator));
}

}  // namespace

std::string SummaryText(const Artifact& artifact,
                        std::optional<Nanos> baseline_ns, int width) {
  const Problem& problem = artifact.problem;
  const Metrics& metrics = artifact.metrics;
  std::string text = absl::StrFormat(
      "%s: %s layers in %d stages on %d devices, %s micro-batches, policy "
      "%s\n\n%s\n",
      problem.name, CountText(problem.layers.size()),
      artifact.plan.partition.stages(), problem.devices.size(),
      CountText(problem.micro_batches), artifact.made_by.policy,
      DeviceTable(artifact));

  absl::StrAppend(&text, "  makespan     ", NanosText(metrics.makespan_ns));
  if (problem.tokens_per_micro_batch > 0 && metrics.makespan_ns > 0) {
    const double tokens = static_cast<double>(problem.tokens_per_micro_batch) *
                          static_cast<double>(problem.micro_batches);
    absl::StrAppend(
        &text, ", ",
        CountText(static_cast<int64_t>(tokens * 1e9 / metrics.makespan_ns)),
        " tokens/s");
  }
  if (const Bound* bound = LargestBound(artifact.bounds)) {
    absl::StrAppend(
        &text, "\n  lower bound  ", NanosText(bound->ns), ", ",
        BoundKindName(bound->kind), ": ", bound->certificate,
        "\n  gap          ",
        absl::StrFormat("%.2f %%",
                        GapPpm(metrics.makespan_ns, bound->ns) / 1e4));
  }
  if (baseline_ns && metrics.makespan_ns > 0) {
    absl::StrAppend(
        &text, "\n  speed-up     ", Ratio(*baseline_ns, metrics.makespan_ns),
        " over the even split with 1F1B (", NanosText(*baseline_ns), ")");
  }
  absl::StrAppend(&text, "\n");
  if (problem.launch_overhead_ns > 0) {
    absl::StrAppend(&text, "  assumed      ",
                    NanosText(problem.launch_overhead_ns),
                    " launch overhead an item\n");
  }

  const StageTable table = BuildStageTable(problem, artifact.plan.partition,
                                           artifact.plan.placement);
  const std::string chart =
      RenderTimeline(table, artifact.plan.order, artifact.timeline, width);
  if (!chart.empty()) absl::StrAppend(&text, "\n", chart);
  return text;
}

std::string ProgramsText(const Artifact& artifact, int width) {
  std::string text;
  for (size_t d = 0; d < artifact.plan.order.programs.size(); ++d) {
    absl::StrAppend(&text, artifact.problem.devices[d].name, ":\n");
    std::string line = " ";
    for (const WorkItem& item : artifact.plan.order.programs[d]) {
      const std::string token = ToString(item);
      if (static_cast<int>(line.size() + 1 + token.size()) > width) {
        absl::StrAppend(&text, line, "\n");
        line = " ";
      }
      absl::StrAppend(&line, " ", token);
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace octopipe
