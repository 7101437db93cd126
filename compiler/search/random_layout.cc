#include "compiler/search/random_layout.h"

#include "compiler/schedule/random_problem.h"

namespace octopipe {

RandomLayout MakeRandomLayout(uint32_t seed, std::mt19937_64& random) {
  RandomLayout instance;
  instance.problem = RandomProblem({}, random);
  const int layers = static_cast<int>(instance.problem.layers.size());
  const int stages = static_cast<int>(Uniform(random, 1, layers));
  instance.partition = RandomPartition(instance.problem, stages, random);
  instance.placement = RandomPlacement(
      PlacementShape::kAny, stages,
      static_cast<int>(instance.problem.devices.size()), random);
  instance.table =
      BuildStageTable(instance.problem, instance.partition, instance.placement);
  for (const StageCost& stage : instance.table.stages) {
    instance.split.push_back(stage.splittable && seed % 3 != 0);
  }
  const int64_t items = 3 * stages * instance.problem.micro_batches;
  for (int64_t i = 0; i < items; ++i) {
    instance.keys.push_back(Uniform(random, 0, 100000));
  }
  return instance;
}

}  // namespace octopipe
