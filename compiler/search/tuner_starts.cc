#include "compiler/search/tuner_starts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/priority_weights.h"
#include "compiler/simulator/evaluate.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

Nanos WorkOf(const Layer& layer) {
  const LayerTimes& times = layer.cost.times;
  return times.f_ns + times.b_ns + times.w_ns;
}

// About the makespan, from the work alone.
Nanos HorizonOf(const Problem& problem) {
  return TotalWork(problem) * problem.micro_batches /
             static_cast<int64_t>(problem.devices.size()) +
         1;
}

// std::shuffle may differ from library to library.
void Shuffle(std::mt19937_64& random, std::vector<int>* values) {
  for (size_t i = values->size(); i > 1; --i) {
    std::swap((*values)[i - 1], (*values)[Below(random, i)]);
  }
}

// What the policy "list" does, as weights.
PriorityWeights ListWeights(int stages, Nanos horizon_ns) {
  PriorityWeights weights;
  weights.kind_ns = {4 * horizon_ns, 0, 16 * horizon_ns};
  weights.tail_permille = 1000;
  weights.task_ns.assign(3 * stages, 0);
  return weights;
}

}  // namespace

Nanos TotalWork(const Problem& problem) {
  Nanos work = 0;
  for (const Layer& layer : problem.layers) work += WorkOf(layer);
  return work;
}

TunerState StateOfPlan(const Problem& problem, const Plan& plan) {
  TunerState state;
  state.partition = plan.partition;
  state.placement = plan.placement;
  const int stages = plan.partition.stages();
  state.split.assign(stages, 0);
  state.weights = ListWeights(stages, HorizonOf(problem));
  const StageTable table =
      BuildStageTable(problem, plan.partition, plan.placement);
  const absl::StatusOr<Timeline> timeline = EvaluateOrder(table, plan.order);
  if (!timeline.ok()) return state;
  state.keys.assign(3 * stages * problem.micro_batches, 0);
  for (size_t d = 0; d < plan.order.programs.size(); ++d) {
    for (size_t i = 0; i < plan.order.programs[d].size(); ++i) {
      const WorkItem& item = plan.order.programs[d][i];
      if (item.kind == WorkKind::kWeightGradient) state.split[item.stage] = 1;
      state.keys[TaskOf(item.kind, item.stage) * problem.micro_batches +
                 item.micro_batch] = timeline->start_ns[d][i];
    }
  }
  return state;
}

std::vector<TunerState> StatesOfSweep(const Problem& problem,
                                      const SweepResult& sweep, int most) {
  std::vector<const SweepCandidate*> ranked;
  for (const SweepCandidate& candidate : sweep.candidates) {
    if (candidate.refusal.ok()) ranked.push_back(&candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const SweepCandidate* a, const SweepCandidate* b) {
                     return a->makespan_ns < b->makespan_ns;
                   });
  std::vector<TunerState> states;
  std::vector<bool> used(sweep.layouts.size(), false);
  for (const SweepCandidate* candidate : ranked) {
    if (static_cast<int>(states.size()) == most) break;
    if (used[candidate->layout]) continue;
    used[candidate->layout] = true;
    const SweepLayout& layout = sweep.layouts[candidate->layout];
    TunerState state;
    state.partition = layout.partition;
    state.placement = layout.placement;
    state.split.assign(layout.stages, 1);
    state.split[0] = 0;
    state.weights = ListWeights(layout.stages, HorizonOf(problem));
    states.push_back(std::move(state));
  }
  return states;
}

TunerState RandomStart(const Problem& problem, int turns, TurnOrder order,
                       std::mt19937_64& random) {
  const int devices = static_cast<int>(problem.devices.size());
  const int layers = static_cast<int>(problem.layers.size());
  const int stages = std::min(layers, devices * turns);
  TunerState state;
  // Cut where the work so far passes each stage's share, and leave enough
  // layers for the stages behind.
  const Nanos total = TotalWork(problem);
  Nanos work = 0;
  for (int layer = 0; layer < layers; ++layer) {
    const int stage = static_cast<int>(state.partition.begin.size());
    if (stage < stages && layer > state.partition.begin.back() &&
        (work + WorkOf(problem.layers[layer]) / 2 >= total / stages * stage ||
         layers - layer == stages - stage)) {
      state.partition.begin.push_back(layer);
    }
    work += WorkOf(problem.layers[layer]);
  }
  state.partition.begin.push_back(layers);

  std::vector<int> turn(devices);
  std::iota(turn.begin(), turn.end(), 0);
  Shuffle(random, &turn);
  const int cut = state.partition.stages();
  for (int s = 0; s < cut; ++s) {
    if (s > 0 && s % devices == 0) {
      if (order == TurnOrder::kToAndFro) std::reverse(turn.begin(), turn.end());
      if (order == TurnOrder::kShuffled) Shuffle(random, &turn);
    }
    state.placement.device.push_back(turn[s % devices]);
  }
  state.split.assign(cut, Below(random, 4) != 0);
  state.split[0] = 0;
  state.weights = RandomWeights(cut, static_cast<int>(problem.micro_batches),
                                HorizonOf(problem), random);
  return state;
}

}  // namespace octopipe
