// How the stages of a table fit the regular layout of a schedule's paper.
//
// The papers draw `chunks` slots on each of R devices, one stage a slot. A
// generator orders slots; a layout maps them to stages. A slot may hold several
// consecutive stages, which then run as one, or none. Two facts make every such
// order valid:
//  - an order that is valid for the chain of all slots stays valid when items
//    of some slots or micro-batches are left out, since what remains depends on
//    no less than before;
//  - the chain slot 0 → 1 → … implies every dependence of any stage graph whose
//    edges go from lower to higher stages.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_SLOT_LAYOUT_H_
#define OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_SLOT_LAYOUT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

struct SlotLayout {
  // The devices with stages, by rank: in the order of their first stage.
  std::vector<int> devices;
  // Of each slot, ascending.
  std::vector<std::vector<int>> stages;

  int ranks() const { return static_cast<int>(devices.size()); }
};

// Slots in a loop: chunk c of rank r stands at place c·R + r. Only the slots
// that hold stages are listed.
struct LoopLayout : SlotLayout {
  struct Place {
    int chunk;
    int rank;
  };
  int chunks = 0;
  std::vector<Place> places;  // of each slot, ascending
};

// One slot a device. InvalidArgument, in the name of `schedule`, if a device's
// stages are not consecutive.
absl::StatusOr<SlotLayout> FitOneSlot(const StageTable& table,
                                      absl::string_view schedule);

// A loop with as few chunks as possible. Fits any placement.
LoopLayout FitLoop(const StageTable& table);

// Slots r and 2R − 1 − r on rank r of R. InvalidArgument, in the name of
// `schedule`, if the placement does not run once over the devices and back.
absl::StatusOr<SlotLayout> FitWave(const StageTable& table,
                                   absl::string_view schedule);

// Replaces the slots in `programs` (one a rank, each item's `stage` a slot) by
// their stages: forwards ascending, backwards descending. An input gradient
// becomes a whole backward where the stage is not splittable, and its weight
// gradient is left out.
Order ExpandSlots(const StageTable& table, const SlotLayout& layout,
                  const std::vector<std::vector<WorkItem>>& programs);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_SLOT_LAYOUT_H_
