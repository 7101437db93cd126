#include "compiler/search/improve_small.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/schedule/stage_table.h"
#include "compiler/search/order_search.h"
#include "compiler/search/small_layouts.h"
#include "compiler/search/true_makespan.h"

namespace octopipe {
namespace {

constexpr int64_t kMostLayouts = 4000;
constexpr int64_t kMostItems = 60;
// Of one layout, at first.
constexpr int64_t kLeastNodes = 500;

struct Open {
  Nanos floor_ns = 0;
  SmallLayout layout;
};

}  // namespace

bool IsSmall(const Problem& problem) {
  const int64_t layers = static_cast<int64_t>(problem.layers.size());
  return layers * problem.micro_batches <= kMostItems / 3 &&
         CountLayouts(problem, kMostLayouts) < kMostLayouts;
}

std::optional<ImprovedPlan> ImproveSmall(const Problem& problem,
                                         const SpaceFilter* space,
                                         bool split_backward, Nanos limit,
                                         int64_t* nodes) {
  if (space != nullptr) split_backward &= space->rules().can_split;
  std::optional<ImprovedPlan> best;
  std::vector<Open> open;
  for (SmallLayout& layout : AllLayouts(problem, space)) {
    const StageTable table =
        BuildStageTable(problem, layout.partition, layout.placement);
    const Nanos floor =
        OrderSearch(table, split_backward, problem.launch_overhead_ns).Floor();
    if (floor < limit) open.push_back({floor, std::move(layout)});
  }
  std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) {
    return a.floor_ns < b.floor_ns;
  });
  for (int64_t patience = kLeastNodes; !open.empty(); patience *= 4) {
    std::vector<Open> unfinished;
    for (Open& next : open) {
      if (next.floor_ns >= limit) continue;
      if (*nodes <= 0) return best;
      const StageTable table = BuildStageTable(problem, next.layout.partition,
                                               next.layout.placement);
      OrderSearch search(table, split_backward, problem.launch_overhead_ns);
      const int64_t granted = std::min(patience, *nodes);
      int64_t left = granted;
      const std::optional<Nanos> found = search.Run(limit, &left);
      *nodes -= granted - left;
      const Nanos makespan =
          found ? TrueMakespan(table, search.order(), *found) : limit;
      if (makespan < limit) {
        limit = makespan;
        best = ImprovedPlan{
            {next.layout.partition, next.layout.placement, search.order()},
            limit};
      }
      if (left == 0) unfinished.push_back(std::move(next));
    }
    open = std::move(unfinished);
  }
  return best;
}

}  // namespace octopipe
