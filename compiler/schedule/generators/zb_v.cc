// ZB-V: no idle time between a device's first and last item where F, B and W
// take equally long, within the memory of 1F1B's first device.
//
//   time →                  (lower case: the way back, second chunk)
// 0 |F0 F1 F2  .  . f0 b0 f1 b1 f2 b2 B0 w0 B1 w1 B2 w2 W0 W1 W2
// 1 | . F0 F1  . f0 F2 f1 b0 f2 b1 B0 b2 B1 w0 B2 w1 W0 w2 W1 W2
// 2 | .  . F0 f0 F1 f1 F2 f2 b0 B0 b1 B1 b2 B2 w0 W0 w1 W1 w2 W2
//
// Qi et al., 2024, arXiv 2401.10241 (ZB-V) and 2405.15362 (V-ZB, as a building
// block). Steps of 4 down and 2 up differ by 6, so that the four items of a
// block keep their distances modulo 6 on every rank: 0, 1, 2 and 3 on the last.
// A block's activations live 12R units on a device, so it holds 2R slots.

#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"
#include "compiler/schedule/generators/v_block.h"

namespace octopipe {
namespace {

VBlock BlockOf(int ranks) {
  VBlock block;
  block.down = 4;
  block.up = 2;
  block.max_slots = 2 * ranks;
  return block;
}

}  // namespace

absl::Status CheckZbV(const StageTable& table) {
  return FitWave(table, "zb-v").status();
}

Order GenerateZbV(const StageTable& table) {
  return GenerateVSchedule(table, "zb-v", BlockOf);
}

}  // namespace octopipe
