#include "compiler/schedule/generators/slot_layout.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

// Ranks the devices by their first stage; rank_of[s] is that of stage s.
struct Ranks {
  std::vector<int> devices;
  std::vector<int> rank_of;
};

Ranks RankDevices(const StageTable& table) {
  Ranks ranks;
  std::vector<int> rank_of_device(table.num_devices, -1);
  for (const StageCost& stage : table.stages) {
    int& rank = rank_of_device[stage.device];
    if (rank < 0) {
      rank = static_cast<int>(ranks.devices.size());
      ranks.devices.push_back(stage.device);
    }
    ranks.rank_of.push_back(rank);
  }
  return ranks;
}

void AppendStage(const StageTable& table, const WorkItem& item, int stage,
                 std::vector<WorkItem>& program) {
  WorkItem expanded = item;
  expanded.stage = stage;
  if (!table.stages[stage].splittable) {
    if (item.kind == WorkKind::kWeightGradient) return;
    if (item.kind == WorkKind::kInputGradient) {
      expanded.kind = WorkKind::kBackward;
    }
  }
  program.push_back(expanded);
}

}  // namespace

absl::StatusOr<SlotLayout> FitOneSlot(const StageTable& table,
                                      absl::string_view schedule) {
  Ranks ranks = RankDevices(table);
  SlotLayout layout;
  layout.stages.resize(ranks.devices.size());
  for (int s = 0; s < table.num_stages(); ++s) {
    const int rank = ranks.rank_of[s];
    std::vector<int>& slot = layout.stages[rank];
    if (!slot.empty() && slot.back() != s - 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          schedule, " needs consecutive stages on each device, but device ",
          ranks.devices[rank], " has stages ", slot.back(), " and ", s,
          " and not stage ", s - 1, ", which is on device ",
          table.stages[s - 1].device, "; place stage ", s, " on device ",
          table.stages[s - 1].device, " or use interleaved-1f1b"));
    }
    slot.push_back(s);
  }
  layout.devices = std::move(ranks.devices);
  return layout;
}

LoopLayout FitLoop(const StageTable& table) {
  Ranks ranks = RankDevices(table);
  LoopLayout layout;
  LoopLayout::Place place = {0, -1};
  for (int s = 0; s < table.num_stages(); ++s) {
    const int rank = ranks.rank_of[s];
    if (rank != place.rank) {
      if (rank < place.rank) ++place.chunk;
      place.rank = rank;
      layout.places.push_back(place);
      layout.stages.push_back({});
    }
    layout.stages.back().push_back(s);
  }
  layout.chunks = place.chunk + 1;
  layout.devices = std::move(ranks.devices);
  return layout;
}

absl::StatusOr<SlotLayout> FitWave(const StageTable& table,
                                   absl::string_view schedule) {
  Ranks ranks = RankDevices(table);
  const int count = static_cast<int>(ranks.devices.size());
  SlotLayout layout;
  layout.stages.resize(2 * count);
  int forth = 0;  // stages up to the last rank's first
  while (ranks.rank_of[forth] != count - 1) ++forth;
  int turn = forth;  // stages up to the end of that rank's run
  while (turn < table.num_stages() && ranks.rank_of[turn] == count - 1) ++turn;
  // The last rank's run is cut in the middle.
  const int cut = forth + (turn - forth + 1) / 2;
  for (int s = 0; s < table.num_stages(); ++s) {
    const int rank = ranks.rank_of[s];
    const int step = s == 0 ? 0 : rank - ranks.rank_of[s - 1];
    if (s < cut ? step < 0 : step > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          schedule,
          " needs stages that run once over the devices and back, such as "
          "devices 0 1 1 0, but stage ",
          s - 1, " is on device ", table.stages[s - 1].device, " and stage ", s,
          " on device ", table.stages[s].device, "; place stage ", s,
          " on device ", table.stages[s - 1].device,
          " or place the stages back and forth (v)"));
    }
    layout.stages[s < cut ? rank : 2 * count - 1 - rank].push_back(s);
  }
  layout.devices = std::move(ranks.devices);
  return layout;
}

Order ExpandSlots(const StageTable& table, const SlotLayout& layout,
                  const std::vector<std::vector<WorkItem>>& programs) {
  Order order;
  order.programs.resize(table.num_devices);
  for (int r = 0; r < layout.ranks(); ++r) {
    std::vector<WorkItem>& program = order.programs[layout.devices[r]];
    program.reserve(programs[r].size());
    for (const WorkItem& item : programs[r]) {
      const std::vector<int>& stages = layout.stages[item.stage];
      if (item.kind == WorkKind::kForward) {
        for (int s : stages) AppendStage(table, item, s, program);
      } else {
        for (auto s = stages.rbegin(); s != stages.rend(); ++s) {
          AppendStage(table, item, *s, program);
        }
      }
    }
  }
  return order;
}

}  // namespace octopipe
