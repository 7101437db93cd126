#include "compiler/transfers/transfer_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

StageTable SmallTable(const std::vector<int>& device_of,
                      const std::vector<std::pair<int, int>>& edges,
                      int micro_batches) {
  Problem problem;
  problem.micro_batches = micro_batches;
  Partition partition;
  Placement placement;
  for (size_t s = 0; s < device_of.size(); ++s) {
    Layer layer;
    layer.name = absl::StrCat("layer", s);
    layer.cost.times = {10, 10, 10};
    layer.output_bytes = 100 + static_cast<Bytes>(s);
    problem.layers.push_back(layer);
    partition.begin.push_back(static_cast<int>(s) + 1);
    placement.device.push_back(device_of[s]);
  }
  for (const auto& [from, to] : edges) {
    problem.layers[to].inputs.push_back(from);
  }
  problem.devices.resize(1 +
                         *std::max_element(device_of.begin(), device_of.end()));
  StageTable table = BuildStageTable(problem, partition, placement);
  for (StageEdge& edge : table.edges) edge.gradient_bytes = 200 + edge.to;
  return table;
}

std::vector<std::vector<WorkItem>> ParsePrograms(
    const std::vector<std::string>& programs) {
  std::vector<std::vector<WorkItem>> parsed;
  for (const std::string& program : programs) {
    std::vector<WorkItem>& items = parsed.emplace_back();
    for (absl::string_view word :
         absl::StrSplit(program, ' ', absl::SkipEmpty())) {
      items.push_back(ParseWorkItem(word).value());
    }
  }
  return parsed;
}

std::vector<std::string> ProgramTexts(const TransferPlan& plan) {
  std::vector<std::string> texts;
  for (const std::vector<ProgramItem>& program : plan.programs) {
    std::string& text = texts.emplace_back();
    for (const ProgramItem& item : program) {
      if (!text.empty()) text += ' ';
      AppendItem(item.work, &text);
    }
  }
  return texts;
}

}  // namespace octopipe
