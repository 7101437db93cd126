#include "compiler/search/sweep_space.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/partition_dp.h"
#include "compiler/search/placement.h"
#include "compiler/search/space_layouts.h"

namespace octopipe {
namespace {

// `set` unless `values` are given, which means kGiven.
template <typename Enum>
absl::StatusOr<std::optional<Enum>> GivenOr(std::optional<Enum> set,
                                            const std::vector<int>& values,
                                            absl::string_view name,
                                            absl::string_view (*name_of)(Enum),
                                            absl::string_view set_name) {
  if (values.empty()) return set;
  if (!set || *set == Enum::kGiven) return Enum::kGiven;
  return absl::InvalidArgumentError(
      absl::StrCat(name, " are given, but ", set_name, " is ", name_of(*set),
                   "; expected given"));
}

absl::Status AgreeOnStages(int stages, absl::string_view from,
                           std::optional<int>& agreed) {
  if (agreed && *agreed != stages) {
    return absl::InvalidArgumentError(absl::StrCat(
        from, " says ", stages, " stages, but ", *agreed, " are asked for"));
  }
  agreed = stages;
  return absl::OkStatus();
}

// D · (1, 2, 3, 4, 6, 8, 12, …) up to `most`, and the number of layers.
std::vector<int> StageCounts(int devices, int layers, int max_stages) {
  const int most = std::min(layers, std::max(max_stages, devices));
  std::vector<int> counts;
  for (int64_t even = devices; even <= most; even *= 2) {
    counts.push_back(static_cast<int>(even));
    const int64_t between = even * 3 / 2;
    if (even > devices && between <= most) {
      counts.push_back(static_cast<int>(between));
    }
  }
  if (layers <= most && (counts.empty() || counts.back() != layers)) {
    counts.push_back(layers);
  }
  return counts;
}

class LayoutMaker {
 public:
  LayoutMaker(const Problem& problem, const SweepOptions& options)
      : problem_(problem), options_(options) {}

  SweepLayout Make(int stages, PartitionObjective objective,
                   PlacementStrategy strategy) const {
    SweepLayout layout{stages, objective, strategy, {}, {}, {}};
    layout.placement = Pattern(stages, strategy);
    absl::StatusOr<Partition> partition =
        Cut(stages, objective, layout.placement);
    if (!partition.ok()) {
      layout.refusal = partition.status();
      return layout;
    }
    layout.partition = *std::move(partition);
    if (strategy == PlacementStrategy::kBalanced) {
      layout.placement = BalancedPlacement(problem_, layout.partition);
    }
    return layout;
  }

 private:
  Placement Pattern(int stages, PlacementStrategy strategy) const {
    const int devices = static_cast<int>(problem_.devices.size());
    switch (strategy) {
      case PlacementStrategy::kGiven:
        return {options_.map};
      case PlacementStrategy::kWave:
        return MakePlacement(PlacementPattern::kWave, stages, devices);
      default:
        return MakePlacement(PlacementPattern::kLoop, stages, devices);
    }
  }

  absl::StatusOr<Partition> Cut(int stages, PartitionObjective objective,
                                const Placement& placement) const {
    switch (objective) {
      case PartitionObjective::kEven:
        return PartitionEven(problem_, stages);
      case PartitionObjective::kMinMax:
        return PartitionMinMax(problem_, stages, placement);
      case PartitionObjective::kMinVariance:
        return PartitionMinVariance(problem_, stages, placement);
      case PartitionObjective::kGiven:
        break;
    }
    Partition given;
    given.begin.insert(given.begin.end(), options_.boundaries.begin(),
                       options_.boundaries.end());
    given.begin.push_back(static_cast<int>(problem_.layers.size()));
    return given;
  }

  const Problem& problem_;
  const SweepOptions& options_;
};

bool IsRepeat(const std::vector<SweepLayout>& layouts,
              const SweepLayout& layout) {
  return std::any_of(layouts.begin(), layouts.end(), [&](const auto& other) {
    return other.refusal.ok() && other.partition == layout.partition &&
           other.placement == layout.placement;
  });
}

}  // namespace

absl::StatusOr<std::vector<SweepLayout>> LayoutsToTry(
    const Problem& problem, const SweepOptions& options) {
  OCTOPIPE_ASSIGN_OR_RETURN(
      const auto objective,
      GivenOr(options.partition, options.boundaries, "boundaries",
              &PartitionObjectiveName, "the objective"));
  OCTOPIPE_ASSIGN_OR_RETURN(
      const auto strategy,
      GivenOr(options.placement, options.map, "devices of stages",
              &PlacementStrategyName, "the strategy"));
  std::optional<int> stages = options.stages;
  const int layers = static_cast<int>(problem.layers.size());
  if (objective == PartitionObjective::kGiven) {
    OCTOPIPE_RETURN_IF_ERROR(
        AgreeOnStages(static_cast<int>(options.boundaries.size()) + 1,
                      "the number of boundaries", stages));
  }
  if (strategy == PlacementStrategy::kGiven) {
    OCTOPIPE_RETURN_IF_ERROR(AgreeOnStages(static_cast<int>(options.map.size()),
                                           "the number of devices of stages",
                                           stages));
  }
  if (stages && (*stages < 1 || *stages > layers)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot form ", *stages, " stages from ", layers,
                     " layers; choose from 1 to ", layers));
  }

  using Objective = PartitionObjective;
  using Strategy = PlacementStrategy;
  const auto objectives =
      objective ? std::vector<Objective>{*objective}
                : std::vector<Objective>{Objective::kEven, Objective::kMinMax,
                                         Objective::kMinVariance};
  const auto strategies =
      strategy ? std::vector<Strategy>{*strategy}
               : std::vector<Strategy>{Strategy::kLoop, Strategy::kWave,
                                       Strategy::kBalanced};
  const std::vector<int> counts =
      stages ? std::vector<int>{*stages}
             : StageCounts(static_cast<int>(problem.devices.size()), layers,
                           options.max_stages);
  const LayoutMaker maker(problem, options);
  std::vector<SweepLayout> layouts;
  for (int count : counts) {
    for (Objective each : objectives) {
      for (Strategy on : strategies) {
        SweepLayout layout = maker.Make(count, each, on);
        if (layout.refusal.ok()) {
          if (each == Objective::kGiven) {
            OCTOPIPE_RETURN_IF_ERROR(
                ToStatus(CheckPartition(problem, layout.partition)));
          }
          if (on == Strategy::kGiven) {
            OCTOPIPE_RETURN_IF_ERROR(ToStatus(
                CheckPlacement(problem, layout.partition, layout.placement)));
          }
          if (IsRepeat(layouts, layout)) continue;
          if (options.space != nullptr &&
              !options.space->Allows(layout.partition, layout.placement)) {
            continue;
          }
        }
        layouts.push_back(std::move(layout));
      }
    }
  }
  if (options.space == nullptr) return layouts;
  OCTOPIPE_ASSIGN_OR_RETURN(
      std::vector<Layout> made,
      LayoutsInSpace(problem, *options.space, options.max_stages));
  for (Layout& each : made) {
    SweepLayout layout{each.partition.stages(),   Objective::kGiven,
                       Strategy::kGiven,          {},
                       std::move(each.partition), std::move(each.placement)};
    if (!IsRepeat(layouts, layout)) layouts.push_back(std::move(layout));
  }
  return layouts;
}

}  // namespace octopipe
