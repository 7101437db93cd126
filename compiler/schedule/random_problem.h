// Random problems and placements for property tests. The same generator state
// gives the same value.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_RANDOM_PROBLEM_H_
#define OCTOPIPE_COMPILER_SCHEDULE_RANDOM_PROBLEM_H_

#include <cstdint>
#include <random>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// Uniform in [low, high].
int64_t Uniform(std::mt19937_64& random, int64_t low, int64_t high);

struct ProblemShape {
  int max_layers = 14;
  int max_devices = 5;
  int max_micro_batches = 9;
};

// A valid problem: a chain, or a graph with skips and several sinks; some costs
// zero, some layers not splittable, without a gradient or with shared
// parameters; devices of unequal speed, memory not limited.
Problem RandomProblem(const ProblemShape& shape, std::mt19937_64& random);

// `stages` is at least 1 and at most the number of layers.
Partition RandomPartition(const Problem& problem, int stages,
                          std::mt19937_64& random);

enum class PlacementShape {
  kRuns,  // consecutive stages on each device
  kWave,  // once over the devices and back
  kAny,
};

// Devices in a random order, with unequal numbers of stages, some unused.
Placement RandomPlacement(PlacementShape shape, int stages, int devices,
                          std::mt19937_64& random);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_RANDOM_PROBLEM_H_
