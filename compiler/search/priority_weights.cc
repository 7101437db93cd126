#include "compiler/search/priority_weights.h"

namespace octopipe {

PriorityWeights RandomWeights(int stages, int micro_batches, Nanos horizon_ns,
                              std::mt19937_64& random) {
  PriorityWeights weights;
  const Nanos period = horizon_ns / micro_batches + 1;
  weights.task_ns.assign(3 * stages, 0);
  // A term of several horizons outweighs all the others.
  weights.kind_ns[0] = Below(random, 2) * 4 * horizon_ns;
  weights.kind_ns[2] = Below(random, 4) != 0 ? 16 * horizon_ns : 0;
  switch (Below(random, 4)) {
    case 0:
      weights.tail_permille = 1000;
      break;
    case 1:
      weights.tail_permille = 1000;
      weights.micro_batch_ns = Below(random, 2 * period);
      break;
    case 2:
      weights.stage_ns = -period;
      weights.micro_batch_ns = Below(random, 3 * period);
      break;
    default:
      weights.micro_batch_ns = period;
      weights.tail_permille = Below(random, 2000);
      break;
  }
  return weights;
}

void KeysOf(const PriorityWeights& weights, absl::Span<const Nanos> tails,
            int micro_batches, std::vector<int64_t>* keys) {
  keys->resize(tails.size() * micro_batches);
  int64_t* key = keys->data();
  for (size_t task = 0; task < tails.size(); ++task) {
    int64_t value = weights.kind_ns[task % 3] + weights.task_ns[task] +
                    static_cast<int64_t>(task / 3) * weights.stage_ns -
                    tails[task] / 1000 * weights.tail_permille;
    for (int m = 0; m < micro_batches; ++m) {
      *key++ = value;
      value += weights.micro_batch_ns;
    }
  }
}

}  // namespace octopipe
