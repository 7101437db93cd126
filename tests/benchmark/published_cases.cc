#include "tests/benchmark/published_cases.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/artifact/file_io.h"
#include "compiler/import/import_profile.h"

namespace octopipe {

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

absl::StatusOr<Problem> PublishedProblem(const std::string& model, int devices,
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

void LimitMemory(const std::string& mode, Problem& problem) {
  const auto layers = static_cast<Bytes>(problem.layers.size());
  for (Device& device : problem.devices) {
    if (mode == "cap") device.memory_bytes = layers;
    if (mode == "half") device.memory_bytes = layers / 2;
  }
}

}  // namespace octopipe
