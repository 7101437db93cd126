// Packing and memory: the least T for which layers, whole, can be assigned to
// devices so that each device meets the claims of layer_claims.h, which are
// proved there; those about memory in memory_claims.h.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/bounds/certificate.h"
#include "compiler/bounds/layer_packing.h"

namespace octopipe {
namespace {

// The least T from `from` on for which layers fit, or less than `resolution`
// below it. `from` if that is not known, or if they do not fit however long it
// takes.
Nanos LeastFit(LayerPacking& packing, Nanos from, Nanos resolution) {
  auto does_not_fit = [&](Nanos t) {
    return packing.FitsIn(t) == Fit::kDoesNotFit;
  };
  if (!does_not_fit(from) || does_not_fit(LayerPacking::kForever)) return from;
  // Between two multiples of the grain nothing changes.
  const Nanos grain = packing.Grain();
  const Nanos most_apart = std::max<Nanos>(resolution / grain, 1);
  Nanos below = from / grain;
  Nanos step = std::max<Nanos>({below / 128, most_apart, 1});
  while (does_not_fit((below + step) * grain)) {
    below += step;
    step *= 2;
  }
  Nanos above = below + step;
  while (above - below > most_apart) {
    const Nanos middle = below + (above - below) / 2;
    (does_not_fit(middle * grain) ? below : above) = middle;
  }
  return std::max(from, (below + 1) * grain);
}

std::string Certificate(const Problem& problem, const LayerPacking& packing) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  const int turn = packing.order().turn;
  return absl::StrCat(layers, " whole layers",
                      packing.is_merged() ? ", rounded down to few kinds," : "",
                      " do not fit earlier on ",
                      DevicesText(std::min(layers, devices)),
                      " that start in turn, of which one has layer '",
                      problem.layers[turn].name, "' from ",
                      NanosText(packing.order().floors[turn].head_ns));
}

}  // namespace

bool HasMemoryLimit(const Problem& problem) {
  return std::any_of(
      problem.devices.begin(), problem.devices.end(),
      [](const Device& device) { return device.memory_bytes > 0; });
}

Bound PackingBound(const Problem& problem, const Bound& from,
                   Nanos resolution) {
  Bound bound = from;
  bound.kind = BoundKind::kPacking;
  // Without memory the other numbering proves no more of any model we know.
  LayerPacking packing(problem, Numbering::kByHead, /*with_memory=*/false);
  Raise(LeastFit(packing, bound.ns, resolution),
        absl::StrCat(Certificate(problem, packing), " on"), bound);
  return bound;
}

Bound MemoryBound(const Problem& problem, const Bound& from, Nanos resolution) {
  Bound bound = from;
  bound.kind = BoundKind::kMemory;
  for (Numbering numbering : {Numbering::kByHead, Numbering::kByBackward}) {
    LayerPacking packing(problem, numbering, /*with_memory=*/true);
    Raise(
        LeastFit(packing, bound.ns, resolution),
        absl::StrCat(Certificate(problem, packing), " on, within their memory"),
        bound);
  }
  return bound;
}

}  // namespace octopipe
