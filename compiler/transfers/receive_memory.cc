#include "compiler/transfers/receive_memory.h"

namespace octopipe {
namespace {

std::vector<Bytes> FreeBytes(const StageTable& table, int device,
                             const std::vector<WorkItem>& program) {
  std::vector<Bytes> free;
  free.reserve(program.size());
  Bytes left = table.memory_bytes[device] - table.static_bytes[device];
  for (const WorkItem& item : program) {
    const StageCost& stage = table.stages[item.stage];
    if (item.kind == WorkKind::kForward) {
      left -= stage.saved_bytes();
      free.push_back(left - stage.f_workspace_bytes);
      continue;
    }
    free.push_back(left - stage.b_workspace_bytes);
    if (item.kind != WorkKind::kWeightGradient) left += stage.saved_b_bytes;
    if (item.kind != WorkKind::kInputGradient) left += stage.saved_w_bytes;
  }
  return free;
}

}  // namespace

ReceiveMemory::ReceiveMemory(const StageTable& table, const Order& order)
    : free_(order.programs.size()) {
  for (size_t d = 0; d < order.programs.size(); ++d) {
    if (order.programs[d].empty() || table.memory_bytes[d] == 0) continue;
    free_[d] = FreeBytes(table, static_cast<int>(d), order.programs[d]);
  }
}

int32_t ReceiveMemory::LastFull(int device, int32_t begin, int32_t end,
                                Bytes bytes) const {
  const std::vector<Bytes>& free = free_[device];
  if (free.empty()) return begin - 1;
  int32_t item = end - 1;
  while (item >= begin && free[item] >= bytes) --item;
  return item;
}

void ReceiveMemory::Take(int device, int32_t begin, int32_t end, Bytes bytes) {
  std::vector<Bytes>& free = free_[device];
  if (free.empty()) return;
  for (int32_t item = begin; item < end; ++item) free[item] -= bytes;
}

}  // namespace octopipe
