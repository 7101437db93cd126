#include "tests/benchmark/plan_cases.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/artifact/file_io.h"
#include "compiler/import/import_profile.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/policy_sweep.h"

namespace octopipe {
namespace {

constexpr const char* kModels[] = {
    "llama3-8B",     "llama3-32B",     "llama3-70B",
    "nemotron-h-4B", "nemotron-h-47B", "nemotron-h-56B",
    "jamba-20B",     "jamba-52B",      "nemotron-nano-v2-9B",
};

constexpr int kDevicesOfNode = 8;
constexpr Nanos kHopNs = 300'000;
constexpr Bytes kTensorBytes = 37'000'000;
constexpr int64_t kNodeLinkBytesPerUs = 25'000;

}  // namespace

absl::Span<const char* const> BenchmarkModels() { return kModels; }

absl::StatusOr<Problem> ProfileProblem(absl::string_view model, int devices,
                                       int micro_batches) {
  const std::string file =
      absl::StrCat("tests/data/profiles/fitted-", model, ".json");
  ImportOptions options;
  options.round_ns = 10000;
  options.fold_ends = true;
  options.activation_bytes_per_layer = 1;
  const auto contents = ReadFile(file);
  if (!contents.ok()) return contents.status();
  auto imported = ImportProfile(file, *contents, options);
  if (!imported.ok()) return imported.status();
  Problem problem;
  problem.layers = std::move(imported->profile.layers);
  problem.micro_batches = micro_batches;
  for (int d = 0; d < devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "h800"});
  }
  return problem;
}

void SetMode(absl::string_view mode, Problem* problem) {
  const auto layers = static_cast<Bytes>(problem->layers.size());
  const int devices = static_cast<int>(problem->devices.size());
  for (int d = 0; d < devices; ++d) {
    Device& device = problem->devices[d];
    if (mode == "cap" || mode == "unequal") device.memory_bytes = layers;
    if (mode == "half") device.memory_bytes = layers / 2;
    if (mode == "unequal" && d >= devices - devices / 2) {
      device.speed_permille = 600;
      device.memory_bytes = layers / 2;
    }
  }
  if (mode == "nodes") {
    for (Layer& layer : problem->layers) {
      layer.output_bytes = layer.output_grad_bytes = kTensorBytes;
    }
  }
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      if (mode == "hop") problem->links.push_back({from, to, kHopNs, 0, ""});
      if (mode == "nodes" && from / kDevicesOfNode != to / kDevicesOfNode) {
        problem->links.push_back({from, to, 0, kNodeLinkBytesPerUs, ""});
      }
    }
  }
}

PeerTable ReadPeer(bool capped) {
  PeerTable table;
  const auto contents = ReadFile("tests/data/peer/authors-tuner.csv");
  if (!contents.ok()) return table;
  for (absl::string_view line : absl::StrSplit(*contents, '\n')) {
    const size_t at = line.find("authors' tuner");
    if (at == absl::string_view::npos) continue;
    // The scheme alone may be quoted and hold commas.
    const std::vector<std::string> head =
        absl::StrSplit(line.substr(0, at), ',');
    const size_t end =
        line[at - 1] == '"' ? line.find('"', at) : line.find(',', at);
    const absl::string_view scheme = line.substr(at, end - at);
    if (absl::StrContains(scheme, "hop") ||
        absl::StrContains(scheme, "cap") != capped ||
        absl::StrContains(scheme, "its own")) {
      continue;
    }
    const std::vector<std::string> tail =
        absl::StrSplit(line.substr(line.find(',', end) + 1), ',');
    int devices = 0, micro_batches = 0;
    Nanos makespan = 0;
    if (head.size() < 3 || !absl::SimpleAtoi(head[1], &devices) ||
        !absl::SimpleAtoi(head[2], &micro_batches) ||
        !absl::SimpleAtoi(tail[0], &makespan)) {
      continue;
    }
    Nanos& best = table[{head[0], devices, micro_batches}];
    best = best == 0 ? makespan : std::min(best, makespan);
  }
  return table;
}

Reference BestNamedPolicy(const Problem& problem) {
  Reference best;
  SweepOptions options;
  options.partition = PartitionObjective::kMinMax;
  for (const NamedSchedule& schedule : NamedSchedules()) {
    options.policy = std::string(schedule.name);
    const absl::StatusOr<SweepResult> sweep = SweepPolicies(problem, options);
    if (!sweep.ok()) {
      best.refusals.push_back(
          absl::StrCat(schedule.name, ": ", sweep.status().message()));
      continue;
    }
    const Nanos makespan = sweep->metrics.makespan_ns;
    if (best.makespan_ns != 0 && makespan >= best.makespan_ns) continue;
    best.makespan_ns = makespan;
    best.name =
        absl::StrCat(schedule.name, ", ", sweep->plan.partition.stages());
  }
  if (best.makespan_ns == 0) best.name = "no named schedule fits:";
  return best;
}

double PeakResidentMiB() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace octopipe
