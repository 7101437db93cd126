#include "compiler/schedule/check_problem.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compiler/base/quantity_text.h"
#include "compiler/schedule/check_totals.h"
#include "compiler/schedule/finding_list.h"

namespace octopipe {
namespace {

// What an item takes in an order and in a timeline.
constexpr int64_t kBytesPerItem = sizeof(WorkItem) + sizeof(Nanos);
constexpr int64_t kItemsPerBackward = 3;

Subject OfLayer(int64_t layer) { return {SubjectKind::kLayer, layer}; }
Subject OfStage(int64_t stage) { return {SubjectKind::kStage, stage}; }
Subject OfDevice(int64_t device) { return {SubjectKind::kDevice, device}; }
Subject OfLink(int64_t link) { return {SubjectKind::kLink, link}; }

std::string LayerText(const Problem& problem, int64_t l) {
  return absl::StrCat("layer ", l, " \"", problem.layers[l].name, "\"");
}

std::string DeviceText(const Problem& problem, int64_t d) {
  return absl::StrCat("device ", d, " @", problem.devices[d].name);
}

void CheckCounts(const Problem& problem, FindingList& findings) {
  if (problem.layers.empty()) {
    findings.Add(Rule::kNoLayers, {},
                 "the model has no layers; it needs at least 1");
  }
  if (problem.devices.empty()) {
    findings.Add(Rule::kNoDevices, {},
                 "the cluster has no devices; it needs at least 1");
  }
  if (problem.micro_batches < 1) {
    findings.Add(Rule::kMicroBatchCount, {}, "the model has ",
                 problem.micro_batches, " micro-batches; it needs at least 1");
  }
}

// `stages` have at least three items a micro-batch each.
void CheckWorkItems(int64_t micro_batches, int64_t stages,
                    FindingList& findings) {
  const int64_t most = kMaxWorkItems / (kItemsPerBackward * stages);
  if (micro_batches <= most) return;
  const __int128 items =
      static_cast<__int128>(micro_batches) * kItemsPerBackward * stages;
  const Bytes bytes = static_cast<Bytes>(
      std::min<__int128>(items * kBytesPerItem, int64_t{1} << 62));
  findings.Add(Rule::kMicroBatchCount, {}, micro_batches, " micro-batches of ",
               stages, " stages are more work items than the limit of ",
               kMaxWorkItems, " and would need ", BytesText(bytes),
               "; use at most ", most, " micro-batches");
}

void CheckProblemSize(const Problem& problem, FindingList& findings) {
  // Every device in use has a stage, so no plan has fewer items than this
  // without leaving devices idle.
  const int64_t stages = std::max<int64_t>(
      1, std::min(problem.devices.size(), problem.layers.size()));
  CheckWorkItems(problem.micro_batches, stages, findings);
}

void CheckNames(const Problem& problem, FindingList& findings) {
  absl::flat_hash_map<absl::string_view, int64_t> first;
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    auto [it, is_new] = first.insert({problem.layers[l].name, l});
    if (is_new) continue;
    findings.Add(Rule::kDuplicateName, OfLayer(l), LayerText(problem, l),
                 " has the name of layer ", it->second,
                 "; names of layers must differ");
  }
  first.clear();
  for (int64_t d = 0; d < static_cast<int64_t>(problem.devices.size()); ++d) {
    auto [it, is_new] = first.insert({problem.devices[d].name, d});
    if (is_new) continue;
    findings.Add(Rule::kDuplicateName, OfDevice(d), DeviceText(problem, d),
                 " has the name of device ", it->second,
                 "; names of devices must differ");
  }
}

void CheckNotNegative(absl::string_view what, int64_t value,
                      absl::string_view owner, Subject subject,
                      FindingList& findings) {
  if (value >= 0) return;
  findings.Add(Rule::kNegativeCost, subject, owner, " has ", what, " = ", value,
               "; it must be at least 0");
}

void CheckTimes(const LayerTimes& times, absl::string_view owner,
                Subject subject, FindingList& findings) {
  CheckNotNegative("f_ns", times.f_ns, owner, subject, findings);
  CheckNotNegative("b_ns", times.b_ns, owner, subject, findings);
  CheckNotNegative("w_ns", times.w_ns, owner, subject, findings);
}

void CheckLayerCosts(const Problem& problem, FindingList& findings) {
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    const Layer& layer = problem.layers[l];
    const std::string owner = LayerText(problem, l);
    const Subject subject = OfLayer(l);
    CheckTimes(layer.cost.times, owner, subject, findings);
    for (const auto& [kind, times] : layer.cost.times_on) {
      CheckTimes(times, absl::StrCat(owner, " on kind \"", kind, "\""), subject,
                 findings);
    }
    const LayerMemory& memory = layer.cost.memory;
    for (const auto& [what, bytes] :
         {std::pair<absl::string_view, Bytes>{"param_bytes",
                                              memory.param_bytes},
          {"grad_bytes", memory.grad_bytes},
          {"optimizer_bytes", memory.optimizer_bytes},
          {"saved_b_bytes", memory.saved_b_bytes},
          {"saved_w_bytes", memory.saved_w_bytes},
          {"f_workspace_bytes", memory.f_workspace_bytes},
          {"b_workspace_bytes", memory.b_workspace_bytes},
          {"output_bytes", layer.output_bytes},
          {"output_grad_bytes", layer.output_grad_bytes}}) {
      CheckNotNegative(what, bytes, owner, subject, findings);
    }
  }
}

void CheckKindTimes(const Problem& problem, FindingList& findings) {
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    const auto& times_on = problem.layers[l].cost.times_on;
    for (size_t i = 1; i < times_on.size(); ++i) {
      if (times_on[i - 1].first < times_on[i].first) continue;
      findings.Add(Rule::kDuplicateName, OfLayer(l), LayerText(problem, l),
                   " lists times on device kind \"", times_on[i].first,
                   "\" after \"", times_on[i - 1].first,
                   "\"; kinds must be sorted and differ");
    }
  }
}

void CheckOtherCosts(const Problem& problem, FindingList& findings) {
  CheckNotNegative("launch_overhead_ns", problem.launch_overhead_ns,
                   "the model", {}, findings);
  CheckNotNegative("tokens_per_micro_batch", problem.tokens_per_micro_batch,
                   "the model", {}, findings);
  for (int64_t d = 0; d < static_cast<int64_t>(problem.devices.size()); ++d) {
    CheckNotNegative("memory_bytes", problem.devices[d].memory_bytes,
                     DeviceText(problem, d), OfDevice(d), findings);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(problem.links.size()); ++i) {
    const std::string owner = absl::StrCat("link ", i);
    CheckNotNegative("latency_ns", problem.links[i].latency_ns, owner,
                     OfLink(i), findings);
    CheckNotNegative("bytes_per_us", problem.links[i].bytes_per_us, owner,
                     OfLink(i), findings);
  }
}

void CheckSpeeds(const Problem& problem, FindingList& findings) {
  for (int64_t d = 0; d < static_cast<int64_t>(problem.devices.size()); ++d) {
    const int64_t speed = problem.devices[d].speed_permille;
    if (speed >= 1) continue;
    findings.Add(Rule::kBadSpeed, OfDevice(d), DeviceText(problem, d),
                 " has speed_permille = ", speed,
                 "; it must be at least 1 (1000 is normal speed)");
  }
}

void CheckInputs(const Problem& problem, FindingList& findings) {
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    const std::vector<int>& inputs = problem.layers[l].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] < 0 || inputs[i] >= l) {
        findings.Add(Rule::kCycle, OfLayer(l), LayerText(problem, l),
                     " has layer ", inputs[i],
                     " as an input; inputs must stand before their layer, at "
                     "0 to ",
                     l - 1, "; list the layers in a topological order");
      } else if (i > 0 && inputs[i] <= inputs[i - 1]) {
        findings.Add(Rule::kCycle, OfLayer(l), LayerText(problem, l),
                     " lists input ", inputs[i], " after input ", inputs[i - 1],
                     "; inputs must be sorted and differ");
      }
    }
  }
}

void CheckLinks(const Problem& problem, FindingList& findings) {
  const int64_t devices = problem.devices.size();
  absl::flat_hash_map<std::pair<int, int>, int64_t> first;
  for (int64_t i = 0; i < static_cast<int64_t>(problem.links.size()); ++i) {
    const Link& link = problem.links[i];
    bool has_ends = true;
    for (int end : {link.from, link.to}) {
      if (end >= 0 && end < devices) continue;
      has_ends = false;
      findings.Add(Rule::kBadLink, OfLink(i), "link ", i, " from device ",
                   link.from, " to device ", link.to, " names device ", end,
                   "; the cluster has devices 0 to ", devices - 1);
    }
    if (!has_ends) continue;
    if (link.from == link.to) {
      findings.Add(Rule::kBadLink, OfLink(i), "link ", i, " joins device ",
                   link.from, " to itself; a link joins two devices");
    }
    auto [it, is_new] = first.insert({{link.from, link.to}, i});
    if (is_new) continue;
    findings.Add(Rule::kBadLink, OfLink(i), "link ", i, " from device ",
                 link.from, " to device ", link.to, " repeats link ",
                 it->second, "; a directed pair has at most one link");
  }
}

void CheckSharedParameters(const Problem& problem, FindingList& findings) {
  absl::flat_hash_map<absl::string_view, int64_t> first;
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    const Layer& layer = problem.layers[l];
    if (layer.shares.empty()) continue;
    auto [it, is_new] = first.insert({layer.shares, l});
    if (is_new) continue;
    const Bytes here = layer.cost.memory.param_bytes;
    const Bytes there = problem.layers[it->second].cost.memory.param_bytes;
    if (here == there) continue;
    findings.Add(Rule::kSharedParameters, OfLayer(l), LayerText(problem, l),
                 " has param_bytes = ", here, ", but shares \"", layer.shares,
                 "\" with ", LayerText(problem, it->second), ", which has ",
                 there, "; layers that share parameters have equally many");
  }
}

}  // namespace

std::vector<Finding> CheckProblem(const Problem& problem) {
  FindingList findings;
  CheckCounts(problem, findings);
  CheckProblemSize(problem, findings);
  CheckNames(problem, findings);
  CheckLayerCosts(problem, findings);
  CheckKindTimes(problem, findings);
  CheckOtherCosts(problem, findings);
  CheckSpeeds(problem, findings);
  CheckInputs(problem, findings);
  CheckLinks(problem, findings);
  CheckSharedParameters(problem, findings);
  if (findings.empty()) CheckTotals(problem, findings);
  return std::move(findings).Take();
}

std::vector<Finding> CheckPartition(const Problem& problem,
                                    const Partition& partition) {
  FindingList findings;
  const int64_t layers = problem.layers.size();
  const std::vector<int>& begin = partition.begin;
  if (begin.size() < 2) {
    findings.Add(Rule::kLayersUncovered, {}, "the partition has no stages; ",
                 layers, " layers need at least 1");
    return std::move(findings).Take();
  }
  const int stages = partition.stages();
  if (begin.front() != 0) {
    findings.Add(Rule::kLayersUncovered, OfStage(0), "stage 0 begins at layer ",
                 begin.front(), "; the first stage must begin at layer 0");
  }
  for (int s = 0; s < stages; ++s) {
    if (begin[s + 1] == begin[s]) {
      findings.Add(Rule::kStageEmpty, OfStage(s), "stage ", s,
                   " has no layers: it begins and ends at layer ", begin[s],
                   "; every stage needs at least 1");
    } else if (begin[s + 1] < begin[s]) {
      findings.Add(Rule::kStageNotContiguous, OfStage(s), "stage ", s,
                   " begins at layer ", begin[s], " and ends before layer ",
                   begin[s + 1], "; stages must follow one another");
    }
  }
  if (begin.back() != layers) {
    findings.Add(Rule::kLayersUncovered, OfStage(stages - 1), "stage ",
                 stages - 1, " ends before layer ", begin.back(),
                 "; the last stage must end with the last of ", layers,
                 " layers");
  }
  CheckWorkItems(problem.micro_batches, stages, findings);
  return std::move(findings).Take();
}

std::vector<Finding> CheckPlacement(const Problem& problem,
                                    const Partition& partition,
                                    const Placement& placement) {
  FindingList findings;
  const int stages = partition.stages();
  const int placed = static_cast<int>(placement.device.size());
  const int64_t devices = problem.devices.size();
  for (int s = 0; s < stages; ++s) {
    if (s >= placed || placement.device[s] < 0) {
      findings.Add(Rule::kStageWithoutDevice, OfStage(s), "stage ", s,
                   " is on no device; place it on one of devices 0 to ",
                   devices - 1);
    } else if (placement.device[s] >= devices) {
      findings.Add(Rule::kUnknownDevice, OfStage(s), "stage ", s,
                   " is on device ", placement.device[s],
                   "; the cluster has devices 0 to ", devices - 1);
    }
  }
  if (placed > stages) {
    findings.Add(Rule::kStageWithoutDevice, {}, "the placement has ", placed,
                 " stages; the partition has ", stages);
  }
  return std::move(findings).Take();
}

}  // namespace octopipe
