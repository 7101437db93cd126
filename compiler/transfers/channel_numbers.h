// Which channel carries what.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_CHANNEL_NUMBERS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_CHANNEL_NUMBERS_H_

#include <vector>

#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// Of an edge, the channels of its activations and gradients; -1 where there is
// nothing to carry.
struct EdgeChannels {
  int activation = -1;
  int gradient = -1;
};

// The channels that `table` needs are added to `channels`, numbered in the
// order in which its edges need them. O(edges).
std::vector<EdgeChannels> NumberChannels(const StageTable& table, bool per_kind,
                                         std::vector<Channel>& channels);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_CHANNEL_NUMBERS_H_
