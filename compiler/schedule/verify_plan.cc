#include "compiler/schedule/verify_plan.h"

#include <utility>

#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/finding_list.h"
#include "compiler/schedule/verify/check_flow.h"
#include "compiler/schedule/verify/check_memory.h"
#include "compiler/schedule/verify/item_index.h"
#include "compiler/schedule/verify/stage_graph.h"

namespace octopipe {

std::vector<Finding> VerifyPlan(const Problem& problem, const Plan& plan) {
  std::vector<Finding> shape = CheckPartition(problem, plan.partition);
  if (!shape.empty()) return shape;
  shape = CheckPlacement(problem, plan.partition, plan.placement);
  if (!shape.empty()) return shape;

  FindingList findings;
  const std::vector<StageNode> graph = BuildStageGraph(problem, plan.partition);
  const ItemIndex index = IndexItems(problem, plan, graph, findings);
  // What a device holds is defined only for an order without such faults.
  const bool has_all_items = findings.empty();
  if (CheckLocalFlow(plan.order, index, graph, findings)) {
    CheckDeadlock(plan.order, index, graph, findings);
    if (has_all_items) CheckMemory(problem, plan, graph, findings);
  }
  return std::move(findings).Take();
}

}  // namespace octopipe
