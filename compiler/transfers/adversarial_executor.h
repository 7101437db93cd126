// Executes programs with transfers under hostile timing, and looks at every
// tensor. For tests: shares no code with the insertion or its proof.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_ADVERSARIAL_EXECUTOR_H_
#define OCTOPIPE_COMPILER_TRANSFERS_ADVERSARIAL_EXECUTOR_H_

#include <random>
#include <string>

#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

enum class ExecutorKind {
  // The host waits for compute and for every send to be matched; a receive goes
  // into its slot when it is posted.
  kBlocking,
  // The host waits for compute; sends are posted and left to their channel.
  kWaitsForComputeOnly,
  // The host waits for nothing: compute items queue on their engine, transfers
  // on their channel, where a receive waits until its slot is free.
  kAsynchronous,
};

struct ExecutionResult {
  bool ends = false;        // everything has run
  bool hangs = false;       // nothing can go on
  bool overwrites = false;  // a receive went into a slot that was still needed
  std::string error;        // of the other kinds: wrong tensor, bytes, flow
};

// Of all that could happen next, what a random preference ranks highest
// happens; the preference changes now and then. `plan` names only stages,
// micro-batches, channels and slots that there are.
ExecutionResult ExecuteAdversarially(const StageTable& table,
                                     const TransferPlan& plan,
                                     ExecutorKind kind,
                                     std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_ADVERSARIAL_EXECUTOR_H_
