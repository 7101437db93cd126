// Random valid plans and options for the tests of transfers. The same generator
// state gives the same case.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_RANDOM_TRANSFERS_H_
#define OCTOPIPE_COMPILER_TRANSFERS_RANDOM_TRANSFERS_H_

#include <random>
#include <string>
#include <vector>

#include "compiler/base/finding.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

struct TransferCase {
  StageTable table;
  Order order;
  TransferOptions options;
};

// A random order that keeps the data flow, or now and then a named schedule; on
// some devices memory that the order alone does not exceed.
TransferCase RandomTransferCase(std::mt19937_64& random);

// Tensors that one item reads over one channel, at most.
int MostReadsOverOneChannel(const TransferCase& sample);

// Whether every device has room for the tensors that an item reads while it
// runs, with nothing received ahead.
bool HasRoomForReads(const TransferCase& sample);

// One finding a line.
std::string Describe(const std::vector<Finding>& findings);

// One device a line.
std::string Describe(const TransferPlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_RANDOM_TRANSFERS_H_
