#include "compiler/bounds/advice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"
#include "compiler/bounds/certificate.h"
#include "compiler/bounds/layer_floor.h"
#include "compiler/schedule/check_problem.h"

namespace octopipe {
namespace {

// A gain below one part in this is not worth a word.
constexpr Nanos kLeastGain = 200;

LayerTimes HalfOf(const LayerTimes& times, int rounding) {
  return {(times.f_ns + rounding) / 2, (times.b_ns + rounding) / 2,
          (times.w_ns + rounding) / 2};
}

// One half of a layer, the larger if `rounding` is 1 and not 0.
Layer HalfOf(Layer layer, int rounding) {
  LayerCost& cost = layer.cost;
  cost.times = HalfOf(cost.times, rounding);
  for (auto& [kind, times] : cost.times_on) times = HalfOf(times, rounding);
  LayerMemory& memory = cost.memory;
  for (Bytes* bytes :
       {&memory.param_bytes, &memory.grad_bytes, &memory.optimizer_bytes,
        &memory.saved_b_bytes, &memory.saved_w_bytes}) {
    *bytes = (*bytes + rounding) / 2;
  }
  absl::StrAppend(&layer.name, rounding == 1 ? ".first" : ".second");
  if (!layer.shares.empty()) absl::StrAppend(&layer.shares, ".", rounding);
  return layer;
}

// Every layer, or `only` that one, is two, one after the other.
Problem InHalves(const Problem& problem, int only = -1) {
  Problem halved = problem;
  halved.layers.clear();
  std::vector<int> last(problem.layers.size());  // what a layer has become
  for (size_t l = 0; l < problem.layers.size(); ++l) {
    Layer layer = problem.layers[l];
    for (int& input : layer.inputs) input = last[input];
    if (only >= 0 && only != static_cast<int>(l)) {
      halved.layers.push_back(std::move(layer));
    } else {
      halved.layers.push_back(HalfOf(layer, 1));
      Layer second = HalfOf(std::move(layer), 0);
      second.inputs = {static_cast<int>(halved.layers.size()) - 1};
      halved.layers.push_back(std::move(second));
    }
    last[l] = static_cast<int>(halved.layers.size()) - 1;
  }
  return halved;
}

// The largest bound; of a problem that is too large, none.
Nanos BoundOf(const Problem& problem, Nanos otherwise) {
  return CheckProblem(problem).empty() ? BestBound(problem).ns : otherwise;
}

int LongestLayer(const Problem& problem) {
  const std::vector<LayerFloor> floors = LayerFloors(problem);
  const auto longest =
      std::max_element(floors.begin(), floors.end(),
                       [](const LayerFloor& a, const LayerFloor& b) {
                         return a.total_ns < b.total_ns;
                       });
  return static_cast<int>(longest - floors.begin());
}

// The bound after a change, and the change with its effect in words.
struct Change {
  Nanos ns;
  std::string words;
};

std::string OffText(Nanos ns, Nanos bound_ns) {
  return absl::StrCat(" would take ", PercentText(bound_ns - ns, bound_ns),
                      " off");
}

Change HalveLongest(const Problem& problem, Nanos bound_ns) {
  const int l = LongestLayer(problem);
  const Layer& layer = problem.layers[l];
  const Nanos ns = BoundOf(InHalves(problem, l), bound_ns);
  const Nanos busy = problem.micro_batches * LayerFloors(problem)[l].total_ns;
  const bool has_vocabulary = layer.cost.role != LayerRole::kBlock;
  return {ns, absl::StrCat("layer '", layer.name,
                           "' alone keeps a device busy for ",
                           PercentText(busy, bound_ns), " of it; two halves",
                           has_vocabulary ? ", split by vocabulary," : "",
                           OffText(ns, bound_ns))};
}

Change HalveAll(const Problem& problem, Nanos bound_ns) {
  const Nanos ns = BoundOf(InHalves(problem), bound_ns);
  return {ns, absl::StrCat("layers half as long", OffText(ns, bound_ns))};
}

Change DoubleMicroBatches(const Problem& problem, Nanos bound_ns) {
  Problem doubled = problem;
  doubled.micro_batches *= 2;
  // Of half of them.
  const Nanos ns = (BoundOf(doubled, 2 * bound_ns) + 1) / 2;
  return {ns, absl::StrCat("twice the micro-batches", OffText(ns, bound_ns),
                           ", for each")};
}

Change DoubleMemory(const Problem& problem, Nanos bound_ns) {
  Problem doubled = problem;
  for (Device& device : doubled.devices) device.memory_bytes *= 2;
  const Nanos ns = BoundOf(doubled, bound_ns);
  return {ns, absl::StrCat("twice the memory", OffText(ns, bound_ns))};
}

bool IsGain(Nanos ns, Nanos bound_ns) {
  return bound_ns - ns > bound_ns / kLeastGain;
}

std::string BestChange(const Problem& problem, Nanos bound_ns) {
  const Change longest = HalveLongest(problem, bound_ns);
  const Change all = HalveAll(problem, bound_ns);
  // One layer is less to ask for than all.
  const bool one_will_do = (bound_ns - longest.ns) / 3 * 4 >= bound_ns - all.ns;
  std::vector<Change> changes = {one_will_do ? longest : all,
                                 DoubleMicroBatches(problem, bound_ns)};
  if (HasMemoryLimit(problem)) {
    changes.push_back(DoubleMemory(problem, bound_ns));
  }
  const auto best = std::min_element(
      changes.begin(), changes.end(),
      [](const Change& a, const Change& b) { return a.ns < b.ns; });
  if (IsGain(best->ns, bound_ns)) return best->words;
  return absl::StrCat("more or faster devices; plain work is ",
                      PercentText(WorkBound(problem).ns, bound_ns), " of it");
}

// The least number of devices, from the first on, with the bound of all.
int EnoughDevices(const Problem& problem, Nanos bound_ns) {
  int enough = static_cast<int>(problem.devices.size());
  int too_few = 0;
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    Problem fewer = problem;
    fewer.devices.resize(middle);
    // They are connected as before.
    fewer.links.clear();
    (BoundOf(fewer, bound_ns + 1) <= bound_ns ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace

void Advise(const Problem& problem, std::vector<Bound>& bounds) {
  const Bound* largest = LargestBound(bounds);
  if (largest == nullptr || largest->ns == 0) return;
  std::string& advice = bounds[largest - bounds.data()].advice;
  advice = BestChange(problem, largest->ns);
  const int enough = EnoughDevices(problem, largest->ns);
  if (enough < static_cast<int>(problem.devices.size())) {
    absl::StrAppend(&advice, "; ", DevicesText(enough),
                    enough == 1 ? " has" : " have", " the same bound");
  }
}

}  // namespace octopipe
