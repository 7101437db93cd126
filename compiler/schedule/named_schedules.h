// The schedules of the literature by name: one table.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_NAMED_SCHEDULES_H_
#define OCTOPIPE_COMPILER_SCHEDULE_NAMED_SCHEDULES_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// How a schedule lays its stages over D devices: stage s on device s mod D, or
// back and forth (0 … D−1 D−1 … 0 …).
enum class PlacementPattern { kLoop, kWave };

// kLoop or kWave over `devices` devices.
Placement MakePlacement(PlacementPattern pattern, int stages, int devices);

struct NamedSchedule {
  absl::string_view name;     // "zb-h1"
  absl::string_view title;    // "ZB-H1"
  absl::string_view source;   // paper: authors, year, arXiv number
  absl::string_view summary;  // one sentence: what it trades
  absl::string_view applies;  // in words, for errors and documentation
  bool splits_backward;
  PlacementPattern placement;
  // Stages per device that it wants; 0: any number from 1.
  int stages_per_device;
  // OK, or InvalidArgument with the rule that `table` breaks, its values and
  // the nearest legal ones.
  absl::Status (*check)(const StageTable& table);
  // The order. `table` passed `check`. Every backward is split if
  // `splits_backward`, except for stages that are not splittable, else whole.
  Order (*generate)(const StageTable& table);
};

// gpipe, 1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, v-half, v-min, in this
// order. (`list` is the ninth policy: simulator/list_scheduler.h.)
absl::Span<const NamedSchedule> NamedSchedules();

// NotFound lists the names.
absl::StatusOr<const NamedSchedule*> FindNamedSchedule(absl::string_view name);

// Checks and generates.
absl::StatusOr<Order> GenerateNamedSchedule(absl::string_view name,
                                            const StageTable& table);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_NAMED_SCHEDULES_H_
