#include "compiler/search/sweep_options.h"

namespace octopipe {

absl::string_view PartitionObjectiveName(PartitionObjective objective) {
  switch (objective) {
    case PartitionObjective::kEven:
      return "even";
    case PartitionObjective::kMinMax:
      return "min-max";
    case PartitionObjective::kMinVariance:
      return "min-variance";
    case PartitionObjective::kGiven:
      return "given";
  }
  return "";
}

absl::string_view PlacementStrategyName(PlacementStrategy strategy) {
  switch (strategy) {
    case PlacementStrategy::kLoop:
      return "loop";
    case PlacementStrategy::kWave:
      return "v";
    case PlacementStrategy::kBalanced:
      return "balanced";
    case PlacementStrategy::kGiven:
      return "given";
  }
  return "";
}

}  // namespace octopipe
