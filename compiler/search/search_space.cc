#include "compiler/search/search_space.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/check_problem.h"

namespace octopipe {
namespace {

std::string Name(const Problem& problem, int layer) {
  return absl::StrCat("'", problem.layers[layer].name, "'");
}

std::string Name(const Problem& problem, const LayerRange& range) {
  return range.first == range.last
             ? absl::StrCat("layer ", Name(problem, range.first))
             : absl::StrCat("layers ", Name(problem, range.first), " to ",
                            Name(problem, range.last));
}

std::string DeviceName(const Problem& problem, int device) {
  return absl::StrCat("'", problem.devices[device].name, "'");
}

absl::Status CheckRange(const Problem& problem, const LayerRange& range) {
  const int layers = static_cast<int>(problem.layers.size());
  for (int layer : {range.first, range.last}) {
    if (layer >= 0 && layer < layers) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("there is no layer ", layer, "; the model has ", layers));
  }
  if (range.first <= range.last) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("layers ", Name(problem, range.first), " to ",
                   Name(problem, range.last), " run backwards: layer ",
                   range.first, " comes after layer ", range.last));
}

// A range must be a stage, so neighbours may not share layers, and a device pin
// may not differ within it.
absl::Status CheckStages(const Problem& problem, const SearchSpace& space) {
  for (size_t i = 0; i < space.stages.size(); ++i) {
    const LayerRange& a = space.stages[i];
    OCTOPIPE_RETURN_IF_ERROR(CheckRange(problem, a));
    for (size_t j = 0; j < i; ++j) {
      const LayerRange& b = space.stages[j];
      if (a.first > b.last || b.first > a.last) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(Name(problem, b), " and ", Name(problem, a),
                       " are each to form a stage, but overlap"));
    }
    if (!space.partition) continue;
    const std::vector<int>& begin = space.partition->begin;
    const auto at = std::lower_bound(begin.begin(), begin.end(), a.first);
    if (*at == a.first && *(at + 1) == a.last + 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Name(problem, a),
                     " are to form a stage, but the cut "
                     "that is given has no such stage"));
  }
  return absl::OkStatus();
}

absl::Status CheckDevices(const Problem& problem, const SearchSpace& space) {
  std::vector<int> pin(problem.layers.size(), -1);
  const int devices = static_cast<int>(problem.devices.size());
  for (const DevicePin& each : space.devices) {
    OCTOPIPE_RETURN_IF_ERROR(CheckRange(problem, each.layers));
    if (each.device < 0 || each.device >= devices) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no device ", each.device, "; the cluster has ", devices));
    }
    for (int l = each.layers.first; l <= each.layers.last; ++l) {
      if (pin[l] >= 0 && pin[l] != each.device) {
        return absl::InvalidArgumentError(
            absl::StrCat("layer ", Name(problem, l), " is pinned to ",
                         DeviceName(problem, pin[l]), " and to ",
                         DeviceName(problem, each.device)));
      }
      pin[l] = each.device;
    }
  }
  std::vector<LayerRange> stages = space.stages;
  if (space.partition) {
    for (int s = 0; s < space.partition->stages(); ++s) {
      stages.push_back(
          {space.partition->begin[s], space.partition->begin[s + 1] - 1});
    }
  }
  for (const LayerRange& range : stages) {
    int first = -1;  // pinned layer
    for (int l = range.first; l <= range.last; ++l) {
      if (pin[l] < 0) continue;
      if (first < 0) first = l;
      if (pin[l] == pin[first]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(Name(problem, range), " are to form a stage, but layer ",
                       Name(problem, first), " is pinned to ",
                       DeviceName(problem, pin[first]), " and layer ",
                       Name(problem, l), " to ", DeviceName(problem, pin[l])));
    }
  }
  return absl::OkStatus();
}

// Interleaved 1F1B goes round in groups of as many micro-batches as devices,
// and Megatron wants more than two devices for it.
bool CanInterleave(const Problem& problem, const TargetRules& rules) {
  const auto devices = static_cast<int64_t>(problem.devices.size());
  return !rules.has_own_order ||
         (devices > 2 && problem.micro_batches % devices == 0);
}

absl::Status CheckTarget(const Problem& problem, const SearchSpace& space) {
  const TargetRules& rules = RulesOf(space.target);
  if (!rules.is_chain) return absl::OkStatus();
  const size_t devices = problem.devices.size();
  if (problem.layers.size() < devices) {
    return absl::InvalidArgumentError(absl::StrCat(
        "target ", rules.name,
        " runs a stage on every device, but the model "
        "has ",
        problem.layers.size(), " layers for ", devices, " devices"));
  }
  if (!space.partition) return absl::OkStatus();
  const size_t stages = space.partition->stages();
  const bool is_even = stages % devices == 0 &&
                       (stages == devices || CanInterleave(problem, rules));
  if (rules.placement == StageRule::kAny       ? stages >= devices
      : rules.placement == StageRule::kOneEach ? stages == devices
                                               : is_even) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("target ", rules.name, " holds ", rules.summary,
                   ", but the cut that is given has ", stages, " stages for ",
                   devices, " devices"));
}

}  // namespace

bool IsRestricted(const SearchSpace& space) {
  return space.partition || !space.stages.empty() || !space.devices.empty() ||
         space.target != RuntimeTarget::kNative;
}

absl::Status CheckSearchSpace(const Problem& problem,
                              const SearchSpace& space) {
  if (space.partition) {
    OCTOPIPE_RETURN_IF_ERROR(
        ToStatus(CheckPartition(problem, *space.partition)));
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckStages(problem, space));
  OCTOPIPE_RETURN_IF_ERROR(CheckDevices(problem, space));
  return CheckTarget(problem, space);
}

SpaceFilter::SpaceFilter(const Problem& problem, SearchSpace space)
    : problem_(problem),
      space_(std::move(space)),
      devices_(static_cast<int>(problem.devices.size())),
      pin_(problem.layers.size(), -1) {
  for (const DevicePin& each : space_.devices) {
    std::fill(pin_.begin() + each.layers.first,
              pin_.begin() + each.layers.last + 1, each.device);
  }
  pins_before_ = {0};
  for (int pin : pin_) {
    pins_before_.push_back(pins_before_.back() + (pin >= 0 ? 1 : 0));
  }
  if (!rules().is_chain) return;
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    for (int input : problem.layers[l].inputs) {
      if (static_cast<int>(l) - input > 1) skip_edges_.push_back({input, l});
    }
  }
}

int SpaceFilter::PinOf(int first, int last) const {
  if (pins_before_[first] == pins_before_[last + 1]) return -1;
  int l = first;
  while (pin_[l] < 0) ++l;
  return pin_[l];
}

bool SpaceFilter::MayBeStage(int first, int last, int device) const {
  for (const LayerRange& range : space_.stages) {
    if (last < range.first || first > range.last) continue;
    if (first != range.first || last != range.last) return false;
  }
  if (space_.partition) {
    const std::vector<int>& begin = space_.partition->begin;
    const auto at = std::lower_bound(begin.begin(), begin.end(), first);
    if (*at != first || *(at + 1) != last + 1) return false;
  }
  if (pins_before_[first] == pins_before_[last + 1]) return true;
  const int pin = device >= 0 ? device : PinOf(first, last);
  for (int l = first; l <= last; ++l) {
    if (pin_[l] >= 0 && pin_[l] != pin) return false;
  }
  return true;
}

bool SpaceFilter::FollowsPattern(const Placement& placement) const {
  const std::vector<int>& device = placement.device;
  const int stages = static_cast<int>(device.size());
  const StageRule rule = rules().placement;
  if (rule == StageRule::kAny) return true;
  if (stages % devices_ != 0) return false;
  if (rule == StageRule::kOneEach && stages != devices_) return false;
  if (stages > devices_ && !CanInterleave(problem_, rules())) return false;
  bool is_loop = true;
  bool is_v = rule == StageRule::kLoopOrV && stages == 2 * devices_;
  for (int s = 0; s < stages; ++s) {
    is_loop &= device[s] == s % devices_;
    is_v &= device[s] == (s < devices_ ? s : stages - 1 - s);
  }
  return is_loop || is_v;
}

std::optional<SpaceFilter::Broken> SpaceFilter::FirstBroken(
    const Partition& partition, const Placement& placement) const {
  const std::vector<int>& begin = partition.begin;
  if (space_.partition && !(*space_.partition == partition)) {
    return Broken{RuleKind::kCut};
  }
  for (size_t i = 0; i < space_.stages.size(); ++i) {
    const LayerRange& range = space_.stages[i];
    const auto at = std::lower_bound(begin.begin(), begin.end(), range.first);
    if (*at != range.first || *(at + 1) != range.last + 1) {
      return Broken{RuleKind::kStage, static_cast<int>(i)};
    }
  }
  if (pins_before_.back() > 0) {
    for (int s = 0; s < partition.stages(); ++s) {
      for (int l = begin[s]; l < begin[s + 1]; ++l) {
        if (pin_[l] >= 0 && pin_[l] != placement.device[s]) {
          return Broken{RuleKind::kDevice, l};
        }
      }
    }
  }
  auto stage_of = [&](int layer) {
    return std::upper_bound(begin.begin(), begin.end(), layer) - begin.begin();
  };
  for (size_t i = 0; i < skip_edges_.size(); ++i) {
    if (stage_of(skip_edges_[i].second) - stage_of(skip_edges_[i].first) > 1) {
      return Broken{RuleKind::kSkip, static_cast<int>(i)};
    }
  }
  if (!FollowsPattern(placement)) return Broken{RuleKind::kPattern};
  if (rules().is_chain) {
    for (int d = 0; d < devices_; ++d) {
      if (std::find(placement.device.begin(), placement.device.end(), d) ==
          placement.device.end()) {
        return Broken{RuleKind::kIdle, d};
      }
    }
  }
  return std::nullopt;
}

absl::Status SpaceFilter::Check(const Plan& plan) const {
  const std::optional<Broken> broken =
      FirstBroken(plan.partition, plan.placement);
  if (!broken) return CheckOrder(plan);
  auto refuse = [](const auto&... words) {
    return absl::InvalidArgumentError(absl::StrCat(words...));
  };
  switch (broken->kind) {
    case RuleKind::kCut:
      return refuse("the cut is another than the one that is given");
    case RuleKind::kStage:
      return refuse(Name(problem_, space_.stages[broken->index]),
                    " are to form a stage, but do not");
    case RuleKind::kDevice:
      return refuse("layer ", Name(problem_, broken->index), " is pinned to ",
                    DeviceName(problem_, pin_[broken->index]),
                    ", but runs elsewhere");
    case RuleKind::kSkip:
      return refuse(
          "target ", rules().name,
          " passes tensors to the next stage only, but those from "
          "layer ",
          Name(problem_, skip_edges_[broken->index].first), " to layer ",
          Name(problem_, skip_edges_[broken->index].second), " skip a stage");
    case RuleKind::kIdle:
      return refuse("target ", rules().name,
                    " runs a stage on every device, but ",
                    DeviceName(problem_, broken->index), " has none");
    case RuleKind::kPattern:
      return refuse("target ", rules().name, " holds ", rules().summary,
                    ", but the stages are placed otherwise");
  }
  return absl::OkStatus();
}

absl::Status SpaceFilter::CheckOrder(const Plan& plan) const {
  std::vector<int> next(plan.partition.stages(), 0);
  for (const std::vector<WorkItem>& program : plan.order.programs) {
    for (const WorkItem& item : program) {
      if (!rules().can_split && item.kind == WorkKind::kWeightGradient) {
        return absl::InvalidArgumentError(absl::StrCat(
            "target ", rules().name,
            " keeps backwards whole, but the plan has ", ToString(item)));
      }
      if (!rules().is_ascending || item.kind != WorkKind::kForward) continue;
      if (item.micro_batch != next[item.stage]++) {
        return absl::InvalidArgumentError(
            absl::StrCat("target ", rules().name,
                         " runs the forwards of a stage in turn, but ",
                         ToString(item), " stands where F", item.stage, ".",
                         next[item.stage] - 1, " is due"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace octopipe
