#include "compiler/schedule/named_schedules.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/generators/generators.h"

namespace octopipe {
namespace {

constexpr char kConsecutive[] =
    "any stage graph; the stages of a device are consecutive";
constexpr char kWaves[] =
    "any stage graph; the stages run once over the devices and back";

constexpr std::array<NamedSchedule, 8> kSchedules = {{
    {"gpipe", "GPipe", "Huang et al. 2019, arXiv 1811.06965",
     "simplest: all forwards, then all backwards, with the activations of all "
     "micro-batches held at once",
     "any stage graph and placement", false, PlacementPattern::kLoop, 1,
     CheckGPipe, GenerateGPipe},
    {"1f1b", "1F1B", "Narayanan et al. 2020, arXiv 2006.09503",
     "as fast as GPipe, with the activations of at most one micro-batch per "
     "later device",
     kConsecutive, false, PlacementPattern::kLoop, 1, CheckOneFOneB,
     GenerateOneFOneB},
    {"interleaved-1f1b", "Interleaved 1F1B",
     "Narayanan et al. 2021, arXiv 2104.04473",
     "several chunks a device divide the idle time of 1F1B by their number, "
     "for more activations and transfers",
     "any stage graph and placement; made for loops", false,
     PlacementPattern::kLoop, 0, CheckInterleaved, GenerateInterleaved},
    {"zb-h1", "ZB-H1", "Qi et al. 2024, arXiv 2401.10241",
     "weight gradients fill about two thirds of the idle time of 1F1B, within "
     "the activations of its first device",
     kConsecutive, true, PlacementPattern::kLoop, 1, CheckZbH1, GenerateZbH1},
    {"zb-h2", "ZB-H2", "Qi et al. 2024, arXiv 2401.10241",
     "no idle time between items where F, B and W take equally long, for "
     "nearly twice the activations of 1F1B",
     kConsecutive, true, PlacementPattern::kLoop, 1, CheckZbH2, GenerateZbH2},
    {"zb-v", "ZB-V", "Qi et al. 2024, arXiv 2401.10241 and 2405.15362",
     "no idle time in the steady state where F, B and W take equally long, "
     "within the activations of 1F1B's first device",
     kWaves, true, PlacementPattern::kWave, 2, CheckZbV, GenerateZbV},
    {"v-half", "V-Half", "Qi et al. 2024, arXiv 2405.15362",
     "about half of the activations and of the idle time of 1F1B", kWaves, true,
     PlacementPattern::kWave, 2, CheckVHalf, GenerateVHalf},
    {"v-min", "V-Min", "Qi et al. 2024, arXiv 2405.15362",
     "about a third of the activations of 1F1B, for less idle time than its",
     kWaves, true, PlacementPattern::kWave, 2, CheckVMin, GenerateVMin},
}};

}  // namespace

Placement MakePlacement(PlacementPattern pattern, int stages, int devices) {
  Placement placement;
  placement.device.reserve(stages);
  for (int s = 0; s < stages; ++s) {
    const int place = s % devices;
    const bool is_back =
        pattern == PlacementPattern::kWave && s / devices % 2 == 1;
    placement.device.push_back(is_back ? devices - 1 - place : place);
  }
  return placement;
}

absl::Span<const NamedSchedule> NamedSchedules() { return kSchedules; }

absl::StatusOr<const NamedSchedule*> FindNamedSchedule(absl::string_view name) {
  for (const NamedSchedule& schedule : kSchedules) {
    if (schedule.name == name) return &schedule;
  }
  return absl::NotFoundError(absl::StrCat(
      "no schedule is named '", name, "'; expected one of ",
      absl::StrJoin(kSchedules, ", ",
                    [](std::string* out, const NamedSchedule& schedule) {
                      absl::StrAppend(out, schedule.name);
                    })));
}

absl::StatusOr<Order> GenerateNamedSchedule(absl::string_view name,
                                            const StageTable& table) {
  OCTOPIPE_ASSIGN_OR_RETURN(const NamedSchedule* schedule,
                            FindNamedSchedule(name));
  OCTOPIPE_RETURN_IF_ERROR(schedule->check(table));
  return schedule->generate(table);
}

}  // namespace octopipe
