// V-Half: about half of 1F1B's activations, at half of its idle time or less.
//
//   time →                  (lower case: the way back, second chunk)
// 0 |F0 F1  .  .  . f0 b0 F2 w0 f1 b1 w1 B0 W0  . f2 b2 B1 w2 W1  . B2 W2
// 1 | . F0  .  . f0 F1  . b0 f1 w0 F2 B0 b1 W0 f2 w1 B1 b2 W1 w2 B2 W2  .
// 2 | .  . F0 f0  .  . F1 f1 b0 B0 w0 F2 W0 f2 b1 B1 w1 W1 b2 B2 w2 W2  .
//
// Qi et al., 2024, arXiv 2405.15362. Steps of 2 down and 1 up differ by 3, so
// items that go down and items that go up meet in different classes modulo 3 on
// every rank. The turns, chosen for this, depend on whether the number of ranks
// R is odd. A device holds ⌊(R + 2) / 2⌋ micro-batches, two slots each.

#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"
#include "compiler/schedule/generators/v_block.h"

namespace octopipe {
namespace {

VBlock BlockOf(int ranks) {
  VBlock block;
  block.down = 2;
  block.up = 1;
  block.forward_turn = ranks % 2 == 0 ? 4 : 2;
  block.backward_turn = ranks % 2 == 0 ? 5 : 1;
  block.max_slots = 2 * ((ranks + 2) / 2);
  return block;
}

}  // namespace

absl::Status CheckVHalf(const StageTable& table) {
  return FitWave(table, "v-half").status();
}

Order GenerateVHalf(const StageTable& table) {
  return GenerateVSchedule(table, "v-half", BlockOf);
}

}  // namespace octopipe
