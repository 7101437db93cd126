#include "compiler/transfers/random_transfers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/simulator/random_instance.h"

namespace octopipe {
namespace {

// False if the schedule does not apply.
bool UseNamedSchedule(TransferCase& sample, std::mt19937_64& random) {
  const Problem problem = RandomProblem({}, random);
  const int stages = Uniform(random, 1, problem.layers.size());
  const Partition partition = RandomPartition(problem, stages, random);
  const Placement placement =
      RandomPlacement(static_cast<PlacementShape>(Uniform(random, 0, 2)),
                      stages, problem.devices.size(), random);
  sample.table = BuildStageTable(problem, partition, placement);
  const NamedSchedule& schedule =
      NamedSchedules()[Uniform(random, 0, NamedSchedules().size() - 1)];
  absl::StatusOr<Order> order =
      GenerateNamedSchedule(schedule.name, sample.table);
  if (!order.ok()) return false;
  sample.order = *std::move(order);
  return true;
}

// The bytes of the tensors that `item` reads from other devices, and by channel
// how many they are.
struct Reads {
  Bytes bytes = 0;
  std::map<std::pair<int, bool>, int> by_channel;
};

Reads ReadsOf(const TransferCase& sample, const WorkItem& item) {
  Reads reads;
  const StageTable& table = sample.table;
  const int device = table.stages[item.stage].device;
  auto read = [&](int maker, Bytes bytes, bool is_gradient) {
    const int from = table.stages[maker].device;
    if (from == device) return;
    reads.bytes += bytes;
    ++reads.by_channel[{from, is_gradient && sample.options.channel_per_kind}];
  };
  for (const StageEdge& edge : table.edges) {
    if (item.kind == WorkKind::kForward) {
      if (edge.to == item.stage) read(edge.from, edge.activation_bytes, false);
    } else if (item.kind != WorkKind::kWeightGradient) {
      if (edge.from == item.stage && edge.needs_grad) {
        read(edge.to, edge.gradient_bytes, true);
      }
    }
  }
  return reads;
}

// The bytes while each item runs, without received tensors.
std::vector<Bytes> Usage(const TransferCase& sample, int device) {
  std::vector<Bytes> usage;
  Bytes held = sample.table.static_bytes[device];
  for (const WorkItem& item : sample.order.programs[device]) {
    const StageCost& stage = sample.table.stages[item.stage];
    if (item.kind == WorkKind::kForward) held += stage.saved_bytes();
    usage.push_back(held + (item.kind == WorkKind::kForward
                                ? stage.f_workspace_bytes
                                : stage.b_workspace_bytes));
    if (item.kind == WorkKind::kInputGradient) held -= stage.saved_b_bytes;
    if (item.kind == WorkKind::kWeightGradient) held -= stage.saved_w_bytes;
    if (item.kind == WorkKind::kBackward) held -= stage.saved_bytes();
  }
  return usage;
}

}  // namespace

TransferCase RandomTransferCase(std::mt19937_64& random) {
  TransferCase sample;
  if (Below(random, 4) != 0 || !UseNamedSchedule(sample, random)) {
    InstanceShape shape;
    shape.chain = Below(random, 3) == 0;
    sample.table = RandomTable(shape, random);
    sample.order = RandomOrder(sample.table, random);
  }
  if (Below(random, 4) == 0) {
    for (int d = 0; d < sample.table.num_devices; ++d) {
      const std::vector<Bytes> usage = Usage(sample, d);
      if (usage.empty() || Below(random, 3) == 0) continue;
      sample.table.memory_bytes[d] =
          *std::max_element(usage.begin(), usage.end()) + Below(random, 100);
    }
  }
  TransferOptions& options = sample.options;
  options.slots = 1 + Below(random, 3);
  options.lookahead = Below(random, 4);
  options.channel_per_kind = Below(random, 2) == 0;
  options.group = Below(random, 2) == 0;
  return sample;
}

int MostReadsOverOneChannel(const TransferCase& sample) {
  int most = 0;
  for (const auto& program : sample.order.programs) {
    for (const WorkItem& item : program) {
      for (const auto& [channel, count] : ReadsOf(sample, item).by_channel) {
        most = std::max(most, count);
      }
    }
  }
  return most;
}

bool HasRoomForReads(const TransferCase& sample) {
  for (size_t d = 0; d < sample.order.programs.size(); ++d) {
    if (sample.table.memory_bytes[d] == 0) continue;
    const std::vector<Bytes> usage = Usage(sample, static_cast<int>(d));
    for (size_t i = 0; i < usage.size(); ++i) {
      if (usage[i] + ReadsOf(sample, sample.order.programs[d][i]).bytes >
          sample.table.memory_bytes[d]) {
        return false;
      }
    }
  }
  return true;
}

std::string Describe(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppend(&text, RuleName(finding.rule), ": ", finding.message, "\n");
  }
  return text;
}

std::string Describe(const TransferPlan& plan) {
  std::string text;
  for (size_t d = 0; d < plan.programs.size(); ++d) {
    absl::StrAppend(&text, "device ", d, ":");
    for (const ProgramItem& item : plan.programs[d]) {
      absl::StrAppend(&text, " ", ToString(item.work));
      if (item.group >= 0) absl::StrAppend(&text, "(", item.group, ")");
    }
    text += "\n";
  }
  return text;
}

}  // namespace octopipe
