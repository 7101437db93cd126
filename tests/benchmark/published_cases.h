// The cases of the published tuner: its profiles, numbers of devices and of
// micro-batches, and the makespans that it reaches.

#ifndef OCTOPIPE_TESTS_BENCHMARK_PUBLISHED_CASES_H_
#define OCTOPIPE_TESTS_BENCHMARK_PUBLISHED_CASES_H_

#include <map>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

inline constexpr const char* kPublishedModels[] = {
    "llama3-8B",     "llama3-32B",     "llama3-70B",
    "nemotron-h-4B", "nemotron-h-47B", "nemotron-h-56B",
    "jamba-20B",     "jamba-52B",      "nemotron-nano-v2-9B",
};

// The best makespan of a tuner's modes, by model, devices and micro-batches.
using PeerTable = std::map<std::tuple<std::string, int, int>, Nanos>;

// `capped`: of the runs with a true cap on memory.
PeerTable ReadPeer(bool capped);

absl::StatusOr<Problem> PublishedProblem(const std::string& model, int devices,
                                         int micro_batches);

// "free": no limit; "cap": a device can hold as much as one micro-batch saves
// in all layers, a byte for each; "half": half of that.
void LimitMemory(const std::string& mode, Problem& problem);

}  // namespace octopipe

#endif  // OCTOPIPE_TESTS_BENCHMARK_PUBLISHED_CASES_H_
