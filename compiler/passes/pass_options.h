// The enumerations that passes take as options, with the spelling of each
// value. A wrong value makes MLIR list the right ones.

#ifndef OCTOPIPE_COMPILER_PASSES_PASS_OPTIONS_H_
#define OCTOPIPE_COMPILER_PASSES_PASS_OPTIONS_H_

#include "compiler/search/policy_sweep.h"
#include "compiler/simulator/policy.h"
#include "compiler/translate/plan_from_ir.h"
#include "llvm/Support/CommandLine.h"

namespace octopipe {

// A level to ask for: kAuto is whichever the model is at.
enum class Phase {
  kAuto,
  kGraph,
  kPartitioned,
  kPlaced,
  kScheduled,
  kTransfers
};

// The level that `phase`, not kAuto, asks for.
inline Level LevelOf(Phase phase) {
  return static_cast<Level>(static_cast<int>(phase) - 1);
}

inline llvm::cl::ValuesClass PhaseValues() {
  return llvm::cl::values(
      clEnumValN(Phase::kAuto, "auto", "whichever the model is at"),
      clEnumValN(Phase::kGraph, "graph", "layers"),
      clEnumValN(Phase::kPartitioned, "partitioned", "layers in stages"),
      clEnumValN(Phase::kPlaced, "placed", "stages on devices"),
      clEnumValN(Phase::kScheduled, "scheduled", "work in order"),
      clEnumValN(Phase::kTransfers, "transfers", "sends and receives in it"));
}

// Which messages share a channel.
enum class ChannelSharing { kPair, kKind };

inline llvm::cl::ValuesClass ChannelSharingValues() {
  return llvm::cl::values(
      clEnumValN(ChannelSharing::kPair, "pair",
                 "all from one device to another"),
      clEnumValN(ChannelSharing::kKind, "kind",
                 "activations and gradients each among themselves"));
}

inline llvm::cl::ValuesClass PartitionObjectiveValues() {
  return llvm::cl::values(
      clEnumValN(PartitionObjective::kEven, "even",
                 "the same number of blocks per stage"),
      clEnumValN(PartitionObjective::kMinMax, "min-max",
                 "the longest stage as short as can be"),
      clEnumValN(PartitionObjective::kMinVariance, "min-variance",
                 "the least variance of the stages"),
      clEnumValN(PartitionObjective::kGiven, "given",
                 "the cut that `boundaries` gives"));
}

inline llvm::cl::ValuesClass PlacementStrategyValues() {
  return llvm::cl::values(
      clEnumValN(PlacementStrategy::kLoop, "loop", "0 1 2 0 1 2"),
      clEnumValN(PlacementStrategy::kWave, "v", "0 1 2 2 1 0"),
      clEnumValN(PlacementStrategy::kBalanced, "balanced",
                 "the busiest device as idle as can be"),
      clEnumValN(PlacementStrategy::kGiven, "given", "what `map` gives"));
}

inline llvm::cl::ValuesClass BackwardSplitValues() {
  return llvm::cl::values(
      clEnumValN(BackwardSplit::kAuto, "auto",
                 "where an earlier stage waits for the input gradient"),
      clEnumValN(BackwardSplit::kAlways, "always", "wherever layers allow it"),
      clEnumValN(BackwardSplit::kNever, "never", "nowhere"));
}

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_PASSES_PASS_OPTIONS_H_
