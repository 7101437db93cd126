// Cutting and joining stages of a tuner state; what belongs to single stages
// follows.

#ifndef OCTOPIPE_COMPILER_SEARCH_STAGE_EDITS_H_
#define OCTOPIPE_COMPILER_SEARCH_STAGE_EDITS_H_

#include "compiler/search/tuner_state.h"

namespace octopipe {

// Stage s ends before layer `at`, inside it; what is behind becomes stage s + 1
// on the same device, with the same split, windows, weights and keys.
void CutStageAt(int s, int at, int micro_batches, TunerState* state);

// Stages s and s + 1 become one, which keeps the device and the rest of stage
// `kept`, one of the two.
void JoinStagesAt(int s, int kept, int micro_batches, TunerState* state);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_STAGE_EDITS_H_
