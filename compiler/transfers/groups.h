// Exchanges: a send and a receive that two devices do together.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_GROUPS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_GROUPS_H_

#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// Groups a send and a receive that stand next to each other on one device
// wherever the receive and the send at their other ends stand next to each
// other, too. Both devices give the group the same number. Groups that there
// were before are dissolved. O(items).
//
// A group adds no deadlock: let one message go from device d to e and the other
// from e to d. Ungrouped, each send waits for the receive next to the other
// send. So everything before either pair precedes everything behind either
// pair already, and a group asks for no more. By induction that holds for any
// number of groups.
void FormGroups(TransferPlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_GROUPS_H_
