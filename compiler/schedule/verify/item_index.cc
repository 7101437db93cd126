#include "compiler/schedule/verify/item_index.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

Subject At(int64_t device, int64_t position) {
  return {SubjectKind::kItem, device, position};
}

// Reports an item that is none of this problem's compute items.
bool IsValid(const Problem& problem, const Plan& plan, const WorkItem& item,
             Subject subject, FindingList& findings) {
  if (!IsCompute(item.kind) || item.slot != -1 || item.peer != -1) {
    findings.Add(Rule::kItemInvalid, subject, "device ", subject.index, " has ",
                 ToString(item), " at item ", subject.position,
                 "; an order holds F, B, W and BW without a slot only");
    return false;
  }
  const int stages = plan.partition.stages();
  if (item.stage < 0 || item.stage >= stages) {
    findings.Add(Rule::kItemInvalid, subject, "device ", subject.index, " has ",
                 ToString(item), " at item ", subject.position,
                 "; the plan has stages 0 to ", stages - 1);
    return false;
  }
  if (item.micro_batch < 0 || item.micro_batch >= problem.micro_batches) {
    findings.Add(Rule::kItemInvalid, subject, "device ", subject.index, " has ",
                 ToString(item), " at item ", subject.position,
                 "; the model has micro-batches 0 to ",
                 problem.micro_batches - 1);
    return false;
  }
  return true;
}

void IndexProgram(const Problem& problem, const Plan& plan, int device,
                  ItemIndex& index, FindingList& findings) {
  const std::vector<WorkItem>& program = plan.order.programs[device];
  for (size_t i = 0; i < program.size(); ++i) {
    const WorkItem& item = program[i];
    const Subject subject = At(device, i);
    if (!IsValid(problem, plan, item, subject, findings)) continue;
    const int home = plan.placement.device[item.stage];
    if (home != device) {
      findings.Add(Rule::kItemOnWrongDevice, subject, "device ", device,
                   " has ", ToString(item), " at item ", i, ", but stage ",
                   item.stage, " is on device ", home);
    }
    ItemPlace& place = index.At(item.kind, item.stage, item.micro_batch);
    if (place.exists()) {
      findings.Add(Rule::kItemRepeated, subject, "device ", device, " has ",
                   ToString(item), " at item ", i, ", which repeats item ",
                   place.position, " of device ", place.device,
                   "; every item runs once");
      continue;
    }
    place = {device, static_cast<int32_t>(i)};
  }
}

void CheckBackward(const ItemIndex& index, int stage, int32_t micro_batch,
                   int home, FindingList& findings) {
  const ItemPlace& whole = index.At(WorkKind::kBackward, stage, micro_batch);
  const ItemPlace& input =
      index.At(WorkKind::kInputGradient, stage, micro_batch);
  const ItemPlace& weight =
      index.At(WorkKind::kWeightGradient, stage, micro_batch);
  if (whole.exists()) {
    const ItemPlace& split = input.exists() ? input : weight;
    if (!split.exists()) return;
    findings.Add(Rule::kBackwardMixed, At(split.device, split.position),
                 "backward of stage ", stage, ", micro-batch ", micro_batch,
                 " is both whole (item ", whole.position, " of device ",
                 whole.device, ") and split (item ", split.position,
                 " of device ", split.device, "); it must be one of them");
    return;
  }
  if (!input.exists() && !weight.exists()) {
    findings.Add(Rule::kItemMissing, At(home, -1), "device ", home,
                 " lacks the backward of stage ", stage, ", micro-batch ",
                 micro_batch, "; it needs ",
                 ToString(Backward(stage, micro_batch)), ", or ",
                 ToString(InputGradient(stage, micro_batch)), " and ",
                 ToString(WeightGradient(stage, micro_batch)));
    return;
  }
  if (input.exists() && weight.exists()) return;
  const WorkItem missing = input.exists() ? WeightGradient(stage, micro_batch)
                                          : InputGradient(stage, micro_batch);
  const WorkItem present = input.exists() ? InputGradient(stage, micro_batch)
                                          : WeightGradient(stage, micro_batch);
  findings.Add(Rule::kItemMissing, At(home, -1), "device ", home, " lacks ",
               ToString(missing), ", though it has ", ToString(present),
               "; a split backward needs both");
}

// One finding a stage.
void CheckSplit(const Problem& problem, const ItemIndex& index, int stage,
                int unsplittable_layer, FindingList& findings) {
  for (int32_t m = 0; m < problem.micro_batches; ++m) {
    for (WorkKind kind :
         {WorkKind::kInputGradient, WorkKind::kWeightGradient}) {
      const ItemPlace& place = index.At(kind, stage, m);
      if (!place.exists()) continue;
      findings.Add(
          Rule::kBackwardNotSplittable, At(place.device, place.position),
          "device ", place.device, " has ", ToString({kind, -1, stage, m}),
          " at item ", place.position, ", but layer ", unsplittable_layer,
          " \"", problem.layers[unsplittable_layer].name, "\" of stage ", stage,
          " allows whole backwards only; use ", ToString(Backward(stage, m)));
      return;
    }
  }
}

}  // namespace

ItemIndex IndexItems(const Problem& problem, const Plan& plan,
                     const std::vector<StageNode>& graph,
                     FindingList& findings) {
  const int stages = plan.partition.stages();
  const int programs = static_cast<int>(plan.order.programs.size());
  const int devices = static_cast<int>(problem.devices.size());
  ItemIndex index(stages, problem.micro_batches);
  for (int d = 0; d < std::min(programs, devices); ++d) {
    IndexProgram(problem, plan, d, index, findings);
  }
  for (int d = devices; d < programs; ++d) {
    if (plan.order.programs[d].empty()) continue;
    findings.Add(Rule::kItemOnWrongDevice, At(d, 0), "the order has ",
                 plan.order.programs[d].size(), " items on device ", d,
                 "; the cluster has devices 0 to ", devices - 1);
  }
  for (int s = 0; s < stages; ++s) {
    const int home = plan.placement.device[s];
    for (int32_t m = 0; m < problem.micro_batches; ++m) {
      if (!index.At(WorkKind::kForward, s, m).exists()) {
        findings.Add(Rule::kItemMissing, At(home, -1), "device ", home,
                     " lacks ", ToString(Forward(s, m)));
      }
      CheckBackward(index, s, m, home, findings);
    }
    if (graph[s].unsplittable_layer >= 0) {
      CheckSplit(problem, index, s, graph[s].unsplittable_layer, findings);
    }
  }
  return index;
}

}  // namespace octopipe
