// The V family: one micro-batch's path down and up the devices, twice, as a
// building block that repeats every six time units.
//
// Qi et al., "Pipeline Parallelism with Controllable Memory", 2024, arXiv
// 2405.15362: slot r and slot 2R − 1 − r lie on rank r, so that a micro-batch's
// forward runs over the ranks and back, and its backward again. With F, B and W
// of one unit each, a device works 6 units a micro-batch. How long a block
// keeps activations alive on a device, over 6, is how many it holds at a time:
// the steps between neighbouring ranks set the memory.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_V_BLOCK_H_
#define OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_V_BLOCK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// When the forwards (F) and input gradients (B) of micro-batch 0 start, in time
// units. F of the first chunk and B of the second go from rank 0 to the last,
// `down` units a rank; the other two go back, `up` units a rank. At a turn, the
// next of them starts `turn` units after the one before on the same rank.
//
// On any rank the four must differ modulo 6, so that blocks do not collide.
struct VBlock {
  int down = 1;
  int up = 1;
  int forward_turn = 1;   // F to F, on the last rank
  int loss_turn = 1;      // F to B, on the first
  int backward_turn = 1;  // B to B, on the last
  // Activations that a device may hold, in slots.
  int max_slots = 2;
};

// Every device runs its forwards and input gradients in the order in which the
// repeated block has them. Weight gradients run, oldest first, in units in
// which the next of those is not ready, or is a forward that finds `max_slots`
// held. `block_of` says which block fits a number of ranks.
Order GenerateVSchedule(const StageTable& table, absl::string_view schedule,
                        VBlock (*block_of)(int ranks));

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_V_BLOCK_H_
