#include "tools/octopipe/summary.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/simulator/timeline_text.h"
#include "tools/octopipe/assumptions.h"

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

// "0 4 8 12 .. 60": at most six words, three and more in a row as "0-7".
std::string StageList(const std::vector<int>& stages) {
  std::vector<std::string> words;
  for (size_t i = 0; i < stages.size();) {
    size_t end = i + 1;
    while (end < stages.size() && stages[end] == stages[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;
    words.push_back(end == i + 1
                        ? absl::StrCat(stages[i])
                        : absl::StrCat(stages[i], "-", stages[end - 1]));
    i = end;
  }
  if (words.size() > 6) {
    words.erase(words.begin() + 4, words.end() - 1);
    words.insert(words.end() - 1, "..");
  }
  return absl::StrJoin(words, " ");
}

std::vector<std::vector<int>> StagesOfDevices(const Artifact& artifact) {
  std::vector<std::vector<int>> stages(artifact.problem.devices.size());
  const std::vector<int>& device = artifact.plan.placement.device;
  for (size_t s = 0; s < device.size(); ++s) {
    stages[device[s]].push_back(static_cast<int>(s));
  }
  return stages;
}

std::string MemoryCell(const Artifact& artifact, size_t device) {
  std::string text = BytesText(artifact.metrics.devices[device].peak_bytes);
  const Bytes capacity = artifact.problem.devices[device].memory_bytes;
  if (CommonCapacity(artifact.problem) < 0 && capacity > 0) {
    absl::StrAppend(&text, " of ", BytesText(capacity));
  }
  return text;
}

std::string DeviceTable(const Artifact& artifact) {
  const Metrics& metrics = artifact.metrics;
  const bool has_memory = HasMemory(artifact.problem);
  const std::vector<std::vector<int>> stages = StagesOfDevices(artifact);
  std::vector<std::string> head = {"device",  "stages",    "layers", "busy",
                                   "warm-up", "cool-down", "inner",  "bubble"};
  if (has_memory) head.push_back("peak memory");
  TextTable table;
  table.AddRow(std::move(head));
  for (size_t d = 0; d < metrics.devices.size(); ++d) {
    if (stages[d].empty()) continue;
    const DeviceMetrics& device = metrics.devices[d];
    const std::vector<int>& begin = artifact.plan.partition.begin;
    int layers = 0;
    for (int s : stages[d]) layers += begin[s + 1] - begin[s];
    std::vector<std::string> row = {
        artifact.problem.devices[d].name,
        StageList(stages[d]),
        absl::StrCat(layers),
        NanosText(device.busy_ns),
        NanosText(device.warmup_ns),
        NanosText(device.cooldown_ns),
        NanosText(device.inner_ns),
        PercentText(metrics.makespan_ns - device.busy_ns, metrics.makespan_ns)};
    if (has_memory) row.push_back(MemoryCell(artifact, d));
    table.AddRow(std::move(row));
  }
  return table.Text();
}

// "  42 of 100 devices have no stage: gpu58 to gpu99", or nothing.
std::string IdleText(const Artifact& artifact) {
  const std::vector<std::vector<int>> stages = StagesOfDevices(artifact);
  std::vector<std::string> idle;
  for (size_t d = 0; d < stages.size(); ++d) {
    if (stages[d].empty()) idle.push_back(artifact.problem.devices[d].name);
  }
  if (idle.empty()) return "";
  const size_t count = idle.size();
  if (count > 4) {
    idle.erase(idle.begin() + 2, idle.end() - 1);
    idle.insert(idle.end() - 1, "..");
  }
  return absl::StrCat(
      "  ", count, " of ", stages.size(),
      " devices have no stage and stay idle: ", absl::StrJoin(idle, " "), "\n");
}

// "  label        words", wrapped, with the words under one another.
std::string Entry(absl::string_view label, absl::string_view words, int width) {
  constexpr size_t kIndent = 15;
  std::string text;
  std::string line = absl::StrCat("  ", label);
  line.resize(kIndent, ' ');
  bool is_empty = true;
  for (absl::string_view word : absl::StrSplit(words, ' ')) {
    if (!is_empty && line.size() + 1 + word.size() > size_t(width)) {
      absl::StrAppend(&text, line, "\n");
      line.assign(kIndent, ' ');
      is_empty = true;
    }
    absl::StrAppend(&line, is_empty ? "" : " ", word);
    is_empty = false;
  }
  return absl::StrCat(text, line, "\n");
}

std::string MakespanText(const Problem& problem, Nanos makespan_ns) {
  if (problem.tokens_per_micro_batch == 0 || makespan_ns == 0) {
    return NanosText(makespan_ns);
  }
  const double tokens = static_cast<double>(problem.tokens_per_micro_batch) *
                        static_cast<double>(problem.micro_batches);
  return absl::StrCat(
      NanosText(makespan_ns), ", ",
      CountText(static_cast<int64_t>(tokens * 1e9 / makespan_ns)), " tokens/s");
}

std::string GapText(int64_t gap_ppm) {
  return gap_ppm == 0 ? "none: no plan of this model is faster"
                      : absl::StrFormat("%.2f %%", gap_ppm / 1e4);
}

std::string SpeedUpText(const absl::StatusOr<Nanos>& baseline,
                        Nanos makespan_ns) {
  if (!baseline.ok()) {
    return absl::StrCat("not known, the even split with 1F1B is no plan: ",
                        baseline.status().message());
  }
  return absl::StrFormat(
      "%.2fx over the even split with 1F1B (%s)",
      static_cast<double>(*baseline) / static_cast<double>(makespan_ns),
      NanosText(*baseline));
}

std::string Counted(int64_t count, absl::string_view what) {
  return absl::StrCat(CountText(count), " ", what, count == 1 ? "" : "s");
}

}  // namespace

std::string SummaryText(const Artifact& artifact,
                        const absl::StatusOr<Nanos>& baseline, int width,
                        absl::string_view restriction_cost) {
  const Problem& problem = artifact.problem;
  const Nanos makespan_ns = artifact.metrics.makespan_ns;
  std::string text = absl::StrCat(
      problem.name, ": ", Counted(problem.layers.size(), "layer"), " in ",
      Counted(artifact.plan.partition.stages(), "stage"), " on ",
      Counted(problem.devices.size(), "device"), ", ",
      CountText(problem.micro_batches),
      problem.micro_batches == 1 ? " micro-batch" : " micro-batches",
      ", policy ", artifact.made_by.policy, "\n\n", DeviceTable(artifact),
      IdleText(artifact), "\n");
  absl::StrAppend(&text,
                  Entry("makespan", MakespanText(problem, makespan_ns), width));
  if (const Bound* bound = LargestBound(artifact.bounds)) {
    absl::StrAppend(&text, Entry("lower bound",
                                 absl::StrCat(NanosText(bound->ns), ", ",
                                              BoundKindName(bound->kind), ": ",
                                              bound->certificate),
                                 width));
    if (!bound->advice.empty()) {
      absl::StrAppend(&text, Entry("to lower it", bound->advice, width));
    }
    absl::StrAppend(&text, Entry("gap", GapText(artifact.gap_ppm), width));
  }
  if (makespan_ns > 0) {
    absl::StrAppend(
        &text, Entry("speed-up", SpeedUpText(baseline, makespan_ns), width));
  }
  if (!restriction_cost.empty()) {
    absl::StrAppend(&text, Entry("restriction", restriction_cost, width));
  }
  absl::StrAppend(
      &text,
      Entry("assumed", absl::StrJoin(Assumptions(problem), "; "), width));

  const StageTable table = BuildStageTable(problem, artifact.plan.partition,
                                           artifact.plan.placement);
  absl::StrAppend(
      &text, "\n",
      RenderTimeline(table, artifact.plan.order, artifact.timeline, width));
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
