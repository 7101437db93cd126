// Small transfer cases as text. For tests.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_TEXT_H_
#define OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_TEXT_H_

#include <string>
#include <vector>

#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/work_item.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

// A stage on each device that `device_of` names, and `edges` (from, to) between
// them. A message of activations from stage s has 100 + s bytes, of gradients
// from stage s 200 + s.
StageTable SmallTable(const std::vector<int>& device_of,
                      const std::vector<std::pair<int, int>>& edges,
                      int micro_batches);

// One string a device, items between spaces.
std::vector<std::vector<WorkItem>> ParsePrograms(
    const std::vector<std::string>& programs);

std::vector<std::string> ProgramTexts(const TransferPlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_TEXT_H_
