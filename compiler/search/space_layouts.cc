#include "compiler/search/space_layouts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/units.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {
namespace {

constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

// [device][layer]: what the layers before take on it.
std::vector<std::vector<Nanos>> WorkBefore(const Problem& problem) {
  std::vector<std::vector<Nanos>> before;
  for (const Device& device : problem.devices) {
    std::vector<Nanos> work = {0};
    for (const Layer& layer : problem.layers) {
      const LayerTimes times = TimesOn(layer.cost, device);
      work.push_back(work.back() + times.f_ns + times.b_ns + times.w_ns);
    }
    before.push_back(std::move(work));
  }
  return before;
}

// Pinned stages on their devices; the others longest first onto the device
// with the least work, those without a stage before the rest.
Placement PlaceFreely(const Problem& problem, const SpaceFilter& filter,
                      const Partition& partition) {
  const auto before = WorkBefore(problem);
  const std::vector<int>& begin = partition.begin;
  auto load = [&](int s, int d) {
    return before[d][begin[s + 1]] - before[d][begin[s]];
  };
  Placement placement;
  std::vector<std::pair<bool, Nanos>> work(before.size(), {false, 0});
  std::vector<int> open;
  for (int s = 0; s < partition.stages(); ++s) {
    const int pin = filter.PinOf(begin[s], begin[s + 1] - 1);
    placement.device.push_back(pin);
    if (pin < 0) {
      open.push_back(s);
    } else {
      work[pin] = {true, work[pin].second + load(s, pin)};
    }
  }
  std::stable_sort(open.begin(), open.end(),
                   [&](int a, int b) { return load(a, 0) > load(b, 0); });
  for (int s : open) {
    size_t to = 0;
    for (size_t d = 1; d < work.size(); ++d) {
      if (std::pair(work[d].first, work[d].second + load(s, d)) <
          std::pair(work[to].first, work[to].second + load(s, to))) {
        to = d;
      }
    }
    placement.device[s] = static_cast<int>(to);
    work[to] = {true, work[to].second + load(s, to)};
  }
  return placement;
}

// The counts to try, and those to try if there is no layout with these.
struct StageCounts {
  std::vector<int> first;
  std::vector<int> then;
};

StageCounts CountsToTry(const Problem& problem, const SpaceFilter& filter,
                        int max_stages) {
  if (filter.space().partition) {
    return {{filter.space().partition->stages()}, {}};
  }
  const int devices = static_cast<int>(problem.devices.size());
  const int layers = static_cast<int>(problem.layers.size());
  const int most = std::min(layers, std::max(max_stages, devices));
  const StageRule rule = filter.rules().placement;
  StageCounts counts;
  for (int stages = devices; stages <= most; stages += devices) {
    counts.first.push_back(stages);
    if (rule == StageRule::kOneEach) break;
  }
  if (rule != StageRule::kAny) return counts;
  // Pins may need fewer stages than devices, or a number in between.
  for (int stages = filter.rules().is_chain ? devices : 1; stages <= most;
       ++stages) {
    if (stages % devices != 0) counts.then.push_back(stages);
  }
  return counts;
}

}  // namespace

std::optional<Partition> CutInSpace(const Problem& problem,
                                    const SpaceFilter& filter,
                                    const Placement& placement, bool is_free) {
  const int stages = static_cast<int>(placement.device.size());
  const int layers = static_cast<int>(problem.layers.size());
  if (stages > layers) return std::nullopt;
  const auto before = WorkBefore(problem);
  // On whichever device is fastest: no stage takes less.
  std::vector<Nanos> least = {0};
  for (int l = 0; l < layers; ++l) {
    Nanos fastest = kNever;
    for (const auto& work : before) {
      fastest = std::min(fastest, work[l + 1] - work[l]);
    }
    least.push_back(least.back() + fastest);
  }
  // worst[j] of the stages so far over the layers before j, and where each
  // stage begins in the best cut.
  std::vector<Nanos> worst(layers + 1, kNever);
  worst[0] = 0;
  std::vector<std::vector<int>> begins(stages, std::vector<int>(layers + 1));
  for (int s = 0; s < stages; ++s) {
    std::vector<Nanos> next(layers + 1, kNever);
    for (int end = s + 1; end <= layers - (stages - 1 - s); ++end) {
      for (int begin = end - 1; begin >= s; --begin) {
        const int pin = is_free ? filter.PinOf(begin, end - 1) : -1;
        const int device = pin >= 0 ? pin : placement.device[s];
        const Nanos load = before[device][end] - before[device][begin];
        if (least[end] - least[begin] >= next[end]) break;
        if (worst[begin] == kNever ||
            std::max(load, worst[begin]) >= next[end]) {
          continue;
        }
        if (!filter.MayBeStage(begin, end - 1, device)) continue;
        next[end] = std::max(load, worst[begin]);
        begins[s][end] = begin;
      }
    }
    worst = std::move(next);
  }
  if (worst[layers] == kNever) return std::nullopt;
  Partition partition;
  partition.begin.assign(stages + 1, layers);
  for (int s = stages - 1; s >= 0; --s) {
    partition.begin[s] = begins[s][partition.begin[s + 1]];
  }
  return partition;
}

absl::StatusOr<std::vector<Layout>> LayoutsInSpace(const Problem& problem,
                                                   const SpaceFilter& filter,
                                                   int max_stages) {
  const int devices = static_cast<int>(problem.devices.size());
  std::vector<Layout> layouts;
  auto offer = [&](Layout layout) {
    if (!filter.Allows(layout.partition, layout.placement)) return;
    const bool is_repeat =
        std::any_of(layouts.begin(), layouts.end(), [&](const Layout& other) {
          return other.partition == layout.partition &&
                 other.placement == layout.placement;
        });
    if (!is_repeat) layouts.push_back(std::move(layout));
  };
  auto try_stages = [&](int stages) {
    for (PlacementPattern pattern :
         {PlacementPattern::kLoop, PlacementPattern::kWave}) {
      const Placement placement = MakePlacement(pattern, stages, devices);
      const auto cut = CutInSpace(problem, filter, placement, false);
      if (cut) offer({*cut, placement});
      if (filter.rules().placement != StageRule::kAny ||
          filter.space().devices.empty()) {
        continue;
      }
      const auto free = CutInSpace(problem, filter, placement, true);
      if (free) offer({*free, PlaceFreely(problem, filter, *free)});
    }
  };
  const StageCounts counts = CountsToTry(problem, filter, max_stages);
  for (int stages : counts.first) try_stages(stages);
  for (int stages : counts.then) {
    if (!layouts.empty()) break;
    try_stages(stages);
  }
  if (!layouts.empty()) return layouts;
  return absl::InvalidArgumentError(absl::StrCat(
      "no cut and placement of up to ",
      std::max(std::min<int>(max_stages, problem.layers.size()), devices),
      " stages keep the pins",
      filter.space().target == RuntimeTarget::kNative
          ? absl::StrCat("")
          : absl::StrCat(" and what target ", filter.rules().name,
                         " holds: ", filter.rules().summary)));
}

}  // namespace octopipe
