#include "compiler/search/stage_windows.h"

#include <algorithm>

#include "compiler/search/priority_weights.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// From the start of F to the end of W when nothing waits.
Nanos LifeOf(const StageCost& stage, absl::Span<const Nanos> tails, int s) {
  return tails[TaskOf(TaskKind::kForward, s)] -
         tails[TaskOf(TaskKind::kGradient, s)] + stage.b_ns + stage.w_ns;
}

Nanos PeriodOf(const StageTable& table) {
  std::vector<Nanos> load(table.num_devices, 0);
  for (const StageCost& stage : table.stages) {
    load[stage.device] += stage.f_ns + stage.b_ns + stage.w_ns;
  }
  return std::max<Nanos>(1, *std::max_element(load.begin(), load.end()));
}

}  // namespace

std::vector<int> FlowWindows(const StageTable& table,
                             absl::Span<const Nanos> tails,
                             absl::Span<const Bytes> capacity,
                             int64_t stretch_permille, bool fill) {
  const Nanos period = PeriodOf(table);
  const int stages = table.num_stages();
  std::vector<int64_t> wanted_permille(stages);
  std::vector<int> windows(stages);
  std::vector<std::vector<int>> of_device(table.num_devices);
  for (int s = 0; s < stages; ++s) {
    const int64_t life_permille =
        LifeOf(table.stages[s], tails, s) / std::max<Nanos>(1, period / 1000);
    wanted_permille[s] =
        std::max<int64_t>(1000, life_permille * stretch_permille / 1000);
    windows[s] = static_cast<int>(std::clamp<int64_t>(
        (wanted_permille[s] + 999) / 1000, 1, table.micro_batches));
    of_device[table.stages[s].device].push_back(s);
  }
  for (int d = 0; d < table.num_devices; ++d) {
    if (capacity[d] == 0) continue;
    Bytes left = capacity[d] - table.static_bytes[d];
    Bytes workspace = 0;
    for (int s : of_device[d]) {
      const StageCost& stage = table.stages[s];
      left -= stage.saved_bytes() * windows[s];
      workspace = std::max(
          {workspace, stage.f_workspace_bytes, stage.b_workspace_bytes});
    }
    left -= workspace;
    // The stage that has most of what it wants gives, the one with least takes.
    auto share = [&](int s, int more) {
      return 1000000 * static_cast<int64_t>(windows[s] + more) /
             wanted_permille[s];
    };
    while (left < 0) {
      int giver = -1;
      for (int s : of_device[d]) {
        if (windows[s] == 1 || table.stages[s].saved_bytes() == 0) continue;
        if (giver < 0 || share(s, 0) > share(giver, 0)) giver = s;
      }
      if (giver < 0) break;
      --windows[giver];
      left += table.stages[giver].saved_bytes();
    }
    while (fill) {
      int taker = -1;
      for (int s : of_device[d]) {
        if (windows[s] == table.micro_batches ||
            table.stages[s].saved_bytes() > left) {
          continue;
        }
        if (taker < 0 || share(s, 1) < share(taker, 1)) taker = s;
      }
      if (taker < 0) break;
      ++windows[taker];
      left -= table.stages[taker].saved_bytes();
    }
  }
  return windows;
}

void MoveWindows(absl::Span<const int> device_of_stage, int micro_batches,
                 std::mt19937_64& random, std::vector<int>* windows) {
  const int64_t stages = static_cast<int64_t>(windows->size());
  auto change = [&](int s, int by) {
    (*windows)[s] = std::clamp((*windows)[s] + by, 1, micro_batches);
  };
  const int by = Below(random, 2) == 0 ? 1 : -1;
  const int s = static_cast<int>(Below(random, stages));
  switch (Below(random, 4)) {
    case 0:
      for (int64_t n = 1 + Below(random, stages); n > 0; --n) {
        change(static_cast<int>(Below(random, stages)), by);
      }
      break;
    case 1:
    case 2:
      for (int64_t tries = 8; tries > 0; --tries) {
        const int other = static_cast<int>(Below(random, stages));
        if (other == s || device_of_stage[other] != device_of_stage[s]) {
          continue;
        }
        change(other, -by);
        break;
      }
      [[fallthrough]];
    default:
      change(s, by);
      break;
  }
}

}  // namespace octopipe
