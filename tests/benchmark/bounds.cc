// Lower bounds of the published cases: how far below the published plans they
// are, which binds and what would move it, and how long bounds and advice take.
//
//   bazel run -c opt //tests/benchmark:bounds

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/bounds/advice.h"
#include "compiler/bounds/best_bound.h"
#include "tests/benchmark/plan_cases.h"

namespace octopipe {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
      .count();
}

int Main(int argc, char** argv) {
  std::string filter;
  std::vector<int> devices = {4, 8, 16};
  CLI::App app("Lower bounds of the published cases");
  app.add_option("--filter", filter, "Part of the model's name");
  app.add_option("--devices", devices, "Numbers of devices")->delimiter(',');
  std::string mode = "free";
  app.add_option("--mode", mode,
                 "free: no cap; cap: as many bytes as layers; half of that")
      ->check(CLI::IsMember({"free", "cap", "half"}));
  CLI11_PARSE(app, argc, argv);
  const PeerTable peers = ReadPeer(mode != "free");
  double ratio = 0, most_seconds = 0;
  int cases = 0;
  std::map<std::string, int> binds;
  for (const std::string model : BenchmarkModels()) {
    if (!absl::StrContains(model, filter)) continue;
    for (int d : devices) {
      for (int m : {2 * d, 4 * d}) {
        auto problem = ProfileProblem(model, d, m);
        if (!problem.ok()) {
          std::printf("%s\n", problem.status().ToString().c_str());
          return 1;
        }
        SetMode(mode, &*problem);
        const auto began = std::chrono::steady_clock::now();
        std::vector<Bound> bounds = AllBounds(*problem);
        const double seconds = SecondsSince(began);
        Advise(*problem, bounds);
        const double advice_seconds = SecondsSince(began) - seconds;
        most_seconds = std::max(most_seconds, seconds);
        const Bound& best = *LargestBound(bounds);
        const std::string kind(BoundKindName(best.kind));
        ++binds[kind];
        const auto peer = peers.find({model, d, m});
        const double over =
            peer == peers.end() ? 0 : double(peer->second) / best.ns;
        if (over > 0) ratio += 1 / over;
        cases += over > 0;
        std::printf("%-20s %3d %3d %9.3f %6.4f %-16s %6.3f s %6.3f s ",
                    model.c_str(), d, m, best.ns / 1e6, over, kind.c_str(),
                    seconds, advice_seconds);
        for (const Bound& bound : bounds) {
          std::printf(" %.4f", double(bound.ns) / best.ns);
        }
        std::printf(" %s\n", best.advice.c_str());
      }
    }
  }
  std::printf("mean bound/peer %.4f of %d, longest %.3f s;",
              ratio / std::max(1, cases), cases, most_seconds);
  for (const auto& [kind, count] : binds) {
    std::printf(" %s %d", kind.c_str(), count);
  }
  std::printf("\n");
  return 0;
}

}  // namespace
}  // namespace octopipe

int main(int argc, char** argv) { return octopipe::Main(argc, argv); }
