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

// Bounds after changes are this part of the bound below what can be proved, at
// most, which is quick and less than what texts show.
constexpr Nanos kResolution = 4096;

// The largest bound after a change of the problem; as before, if that makes it
// too large.
Nanos BoundAfter(const Problem& changed, Nanos before) {
  if (!CheckProblem(changed).empty()) return before;
  return BestBound(changed, before / kResolution).ns;
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

// A change, and the bound after it.
struct Change {
  std::string words;
  Nanos ns;
};

Change HalveLongest(const Problem& problem, Nanos before) {
  const int l = LongestLayer(problem);
  const Layer& layer = problem.layers[l];
  const Nanos busy = problem.micro_batches * LayerFloors(problem)[l].total_ns;
  return {
      absl::StrCat(
          "layer '", layer.name, "' in two halves",
          layer.cost.role == LayerRole::kBlock ? "" : ", split by vocabulary",
          " (alone it keeps a device busy for ", PercentText(busy, before),
          " of this)"),
      BoundAfter(InHalves(problem, l), before)};
}

Change HalveAll(const Problem& problem, Nanos before) {
  return {"layers half as long", BoundAfter(InHalves(problem), before)};
}

Change DoubleMicroBatches(const Problem& problem, Nanos before) {
  Problem doubled = problem;
  doubled.micro_batches *= 2;
  if (!CheckProblem(doubled).empty()) return {"", before};
  // Of half of them.
  return {"twice the micro-batches, for each,",
          (BestBound(doubled, before / kResolution).ns + 1) / 2};
}

Change DoubleMemory(const Problem& problem, Nanos before) {
  Problem doubled = problem;
  for (Device& device : doubled.devices) device.memory_bytes *= 2;
  return {"twice the memory", BoundAfter(doubled, before)};
}

// The change that takes most off, and the next if it takes half as much.
std::string BestChanges(const Problem& problem, Nanos before) {
  const Change longest = HalveLongest(problem, before);
  const Change all = HalveAll(problem, before);
  // One layer is less to ask for than all.
  const bool one_will_do = (before - longest.ns) / 3 * 4 >= before - all.ns;
  std::vector<Change> changes = {one_will_do ? longest : all,
                                 DoubleMicroBatches(problem, before)};
  if (HasMemoryLimit(problem)) {
    changes.push_back(DoubleMemory(problem, before));
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const Change& a, const Change& b) { return a.ns < b.ns; });
  const Nanos most = before - changes[0].ns;
  if (most <= before / kLeastGain) {
    return absl::StrCat("more or faster devices; plain work is ",
                        PercentText(WorkBound(problem).ns, before), " of it");
  }
  std::string words = absl::StrCat(changes[0].words, " would take ",
                                   PercentText(most, before), " off");
  const Nanos next = before - changes[1].ns;
  if (next >= most / 2) {
    absl::StrAppend(&words, "; ", changes[1].words, " ",
                    PercentText(next, before));
  }
  return words;
}

// The least number of devices, from the first on, with the bound of all. The
// cluster is not checked: a few devices of a valid one, joined for free.
int EnoughDevices(const Problem& problem, Nanos bound_ns) {
  auto are_enough = [&](int devices) {
    Problem fewer = problem;
    fewer.devices.resize(devices);
    fewer.links.clear();
    return BestBound(fewer, bound_ns / kResolution).ns <= bound_ns;
  };
  int enough = static_cast<int>(problem.devices.size());
  if (enough == 1 || !are_enough(enough - 1)) return enough;
  --enough;
  int too_few = 0;
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    (are_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace

void Advise(const Problem& problem, std::vector<Bound>& bounds) {
  const Bound* largest = LargestBound(bounds);
  if (largest == nullptr || largest->ns == 0) return;
  std::string& advice = bounds[largest - bounds.data()].advice;
  advice = BestChanges(problem, largest->ns);
  const int enough = EnoughDevices(problem, largest->ns);
  if (enough < static_cast<int>(problem.devices.size())) {
    absl::StrAppend(&advice, "; ", DevicesText(enough),
                    enough == 1 ? " has" : " have", " the same bound");
  }
}

}  // namespace octopipe
