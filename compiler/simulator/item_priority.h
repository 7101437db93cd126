// A policy's rules as numbers that compare.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_ITEM_PRIORITY_H_
#define OCTOPIPE_COMPILER_SIMULATOR_ITEM_PRIORITY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/policy.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

// Whether `policy` splits the backward of `stage`.
bool SplitsBackward(const StageTable& table, const Policy& policy, int stage);

class ItemPriority {
 public:
  ItemPriority(const StageTable& table, const WorkDag& dag,
               const Policy& policy);

  // Distinct for distinct items; the least goes first.
  uint64_t Key(int task, int micro_batch) const {
    return base_[task] + micro_batch * stride_;
  }

  // The rule by which the first item goes before the second; nullopt if all
  // leave them equal.
  std::optional<TieBreak> Decides(int task, int micro_batch, int other_task,
                                  int other_micro_batch) const;

 private:
  std::vector<TieBreak> rules_;
  // Of each rule and task, the least goes first; empty for kOldestMicroBatch.
  std::vector<std::vector<int64_t>> values_;
  std::vector<uint64_t> base_;
  uint64_t stride_ = 1;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_ITEM_PRIORITY_H_
