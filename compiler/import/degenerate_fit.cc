#include "compiler/import/degenerate_fit.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace octopipe {
namespace {

constexpr Nanos kNormalForwardNs = 10 * kDegenerateNs;

}  // namespace

std::vector<std::string> DegenerateFits(const std::vector<Layer>& layers,
                                        bool whole_backward) {
  std::vector<std::string> warnings;
  std::set<std::pair<std::string, absl::string_view>> told;
  for (const Layer& layer : layers) {
    const LayerCost& cost = layer.cost;
    if (cost.times.f_ns <= kNormalForwardNs) continue;
    auto look = [&](absl::string_view what, Nanos ns) {
      if (ns > kDegenerateNs || !told.emplace(cost.kind, what).second) return;
      warnings.push_back(absl::StrCat(
          "kind '", cost.kind, "': ", what, " of ", ns,
          " ns beside a forward of ", cost.times.f_ns,
          " ns looks like a fit that hit its bound; trust sums over several "
          "kinds, not this one"));
    };
    if (whole_backward) {
      look("a backward", cost.times.b_ns);
      continue;
    }
    if (cost.role != LayerRole::kEmbedding || cost.times.b_ns != 0) {
      look("an input gradient", cost.times.b_ns);
    }
    look("a weight gradient", cost.times.w_ns);
  }
  return warnings;
}

}  // namespace octopipe
