// The problems that the benchmarks of plans solve, and what they are held
// against.

#ifndef OCTOPIPE_TESTS_BENCHMARK_PLAN_CASES_H_
#define OCTOPIPE_TESTS_BENCHMARK_PLAN_CASES_H_

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// The models of the published profiles.
absl::Span<const char* const> BenchmarkModels();

// The published profile of `model` on equal devices without links or caps; each
// layer keeps one byte a micro-batch.
absl::StatusOr<Problem> ProfileProblem(absl::string_view model, int devices,
                                       int micro_batches);

// Makes `problem` that of a mode:
//   free     as it is
//   cap      as many bytes a device as there are layers: 1F1B just fits
//   half     half of that
//   hop      300 us of latency between any two devices
//   nodes    nodes of 8 devices, between whose devices tensors of 37 MB take a
//            link of 25 GB/s; free within a node
//   unequal  "cap", and the second half of the devices with 0.6 of the speed
//            and half of the memory
void SetMode(absl::string_view mode, Problem* problem);

// The best makespan of the published tuner by model, devices and micro-batches;
// `capped`: of its runs with a true cap on memory.
using PeerTable = std::map<std::tuple<std::string, int, int>, Nanos>;
PeerTable ReadPeer(bool capped);

// What a plan is held against. `makespan_ns` is 0 if there is nothing; then
// `refusals` say why, a line for each named schedule: the least that its best
// layout lacks.
struct Reference {
  std::string name;
  Nanos makespan_ns = 0;
  std::vector<std::string> refusals;
};

// The best named schedule on any number of stages and any placement of the
// sweep, cut by min-max loads.
Reference BestNamedPolicy(const Problem& problem);

// Largest resident memory of the process so far.
double PeakResidentMiB();

}  // namespace octopipe

#endif  // OCTOPIPE_TESTS_BENCHMARK_PLAN_CASES_H_
