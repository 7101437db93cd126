#include "compiler/transfers/transfer_program.h"

namespace octopipe {

std::vector<std::vector<WorkItem>> ItemsOf(const TransferPlan& plan) {
  std::vector<std::vector<WorkItem>> programs;
  for (const std::vector<ProgramItem>& program : plan.programs) {
    std::vector<WorkItem>& items = programs.emplace_back();
    items.reserve(program.size());
    for (const ProgramItem& item : program) items.push_back(item.work);
  }
  return programs;
}

Order WithoutTransfers(const TransferPlan& plan) {
  Order order;
  for (const std::vector<ProgramItem>& program : plan.programs) {
    std::vector<WorkItem>& items = order.programs.emplace_back();
    for (const ProgramItem& item : program) {
      if (IsCompute(item.work.kind)) items.push_back(item.work);
    }
  }
  return order;
}

int64_t CountDeferredSends(const TransferPlan& plan) {
  int64_t deferred = 0;
  for (const std::vector<ProgramItem>& program : plan.programs) {
    WorkItem computed;
    for (const ProgramItem& item : program) {
      if (IsCompute(item.work.kind)) computed = item.work;
      if (!IsSend(item.work.kind)) continue;
      const bool is_forward = item.work.kind == WorkKind::kSendActivation;
      const bool is_direct =
          computed.stage == item.work.stage &&
          computed.micro_batch == item.work.micro_batch &&
          computed.kind != WorkKind::kWeightGradient &&
          (computed.kind == WorkKind::kForward) == is_forward;
      deferred += !is_direct;
    }
  }
  return deferred;
}

}  // namespace octopipe
