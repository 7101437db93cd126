// V-Min: about a third of 1F1B's activations, the least of the V family.
//
//   time →                  (lower case: the way back, second chunk)
// 0 |F0 F1  .  .  . f0 b0 F2 w0  .  . f1 b1 B0 w1 W0  . f2 b2 B1 w2 W1  . B2 W2
// 1 | . F0  .  . f0 F1  . b0 w0  . f1 F2 B0 b1 W0 w1 f2 B1 W1 b2 w2  . B2 W2  .
// 2 | .  . F0 f0  .  . F1  . b0 f1 B0 w0 F2 W0 b1 f2 B1 w1 W1  . b2 B2 w2 W2  .
//
// Qi et al., 2024, arXiv 2405.15362. Steps of 1 both ways: nothing waits on the
// way. Items that go down and items that go up meet in different classes modulo
// 2 on every rank. The turns are the least that avoid a collision, which
// depends on whether 3 divides the number of ranks R. A device holds
// ⌊(R + 4) / 3⌋ micro-batches, two slots each.

#include "compiler/schedule/generators/generators.h"
#include "compiler/schedule/generators/slot_layout.h"
#include "compiler/schedule/generators/v_block.h"

namespace octopipe {
namespace {

VBlock BlockOf(int ranks) {
  VBlock block;
  block.forward_turn = ranks % 3 == 0 ? 3 : 1;
  block.backward_turn = ranks % 3 == 0 ? 3 : 1;
  block.max_slots = 2 * ((ranks + 4) / 3);
  return block;
}

}  // namespace

absl::Status CheckVMin(const StageTable& table) {
  return FitWave(table, "v-min").status();
}

Order GenerateVMin(const StageTable& table) {
  return GenerateVSchedule(table, "v-min", BlockOf);
}

}  // namespace octopipe
