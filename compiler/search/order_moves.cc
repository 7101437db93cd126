#include "compiler/search/order_moves.h"

#include <algorithm>

#include "compiler/search/priority_weights.h"

namespace octopipe {
namespace {

// At least -most and at most `most`.
int64_t Noise(int64_t most, std::mt19937_64& random) {
  return Below(random, 2 * most + 1) - most;
}

// A critical item, or any if a few draws find none.
size_t CriticalItem(const KnownSchedule& schedule, std::mt19937_64& random) {
  size_t item = 0;
  for (int draw = 0; draw < 16; ++draw) {
    item = Below(random, schedule.starts.size());
    if (schedule.starts[item] == schedule.latest_starts[item]) break;
  }
  return item;
}

}  // namespace

void MoveWeights(bool limited, int micro_batches, Nanos horizon_ns,
                 std::mt19937_64& random, TunerState* state) {
  state->keys.clear();
  PriorityWeights& weights = state->weights;
  const int stages = state->partition.stages();
  const Nanos period = horizon_ns / micro_batches + 1;
  switch (Below(random, limited ? 12 : 10)) {
    case 0:
      weights.micro_batch_ns =
          std::max<int64_t>(0, weights.micro_batch_ns + Noise(period, random));
      break;
    case 1:
      weights.tail_permille =
          std::max<int64_t>(0, weights.tail_permille + Noise(500, random));
      break;
    case 2:
      weights.kind_ns[Below(random, 3)] += Noise(2 * period, random);
      break;
    case 3:
      weights.patience_ns =
          Below(random, 2) == 0 ? 0 : Below(random, period / 4 + 1);
      break;
    case 4: {
      const int64_t s = Below(random, stages);
      state->split[s] = !state->split[s];
      break;
    }
    case 5:
      weights = RandomWeights(stages, micro_batches, horizon_ns, random);
      break;
    case 10:
    case 11:
      state->memory_permille = 1000 - Below(random, 2) * Below(random, 300);
      break;
    default:
      for (int64_t n = 1 + Below(random, 4); n > 0; --n) {
        weights.task_ns[Below(random, 3 * stages)] += Noise(period, random);
      }
      break;
  }
}

void MoveItems(const KnownSchedule& schedule, int micro_batches,
               std::mt19937_64& random, TunerState* state) {
  std::vector<int64_t>& keys = state->keys;
  const size_t items = schedule.starts.size();
  keys.resize(items);
  state->exact = false;
  const int64_t blend = Below(random, 3);
  for (size_t i = 0; i < items; ++i) {
    keys[i] =
        ((2 - blend) * schedule.starts[i] + blend * schedule.latest_starts[i]) /
        2;
  }
  const Nanos period = schedule.makespan_ns / micro_batches + 1;
  const int64_t reach = Below(random, 2) == 0 ? period / 4 + 1 : period;
  if (Below(random, 4) == 0) {
    const Nanos begin = Below(random, schedule.makespan_ns + 1);
    const Nanos end = begin + period + Below(random, 2 * period);
    for (size_t i = 0; i < items; ++i) {
      if (schedule.starts[i] >= begin && schedule.starts[i] < end) {
        keys[i] += Noise(reach, random);
      }
    }
    return;
  }
  for (int64_t n = 1 + Below(random, 3); n > 0; --n) {
    const size_t item = CriticalItem(schedule, random);
    const int64_t by = Noise(reach, random);
    // The same task of the next micro-batches: a change of the steady state.
    const int64_t last =
        Below(random, 2) == 0 ? 1 : 1 + Below(random, micro_batches);
    const int64_t rest = micro_batches - item % micro_batches;
    for (int64_t i = 0; i < std::min(last, rest); ++i) keys[item + i] += by;
  }
}

}  // namespace octopipe
