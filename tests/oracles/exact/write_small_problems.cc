// Writes all small problems for exact_optimum.py, one a line: JSON with
// "index", "fingerprint", and "problem", the message of proto/schedule.proto.
// With an argument, that many evaluations of the tuner add "makespan_ns" and
// "plan" as that script writes it.

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/artifact/problem_proto.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/work_item.h"
#include "compiler/search/tuner.h"
#include "google/protobuf/util/json_util.h"
#include "tests/oracles/exact/small_problem.h"

namespace octopipe {
namespace {

std::string PlanText(const Plan& plan) {
  std::vector<int> begins = plan.partition.begin;
  begins.pop_back();
  std::string text = absl::StrCat(absl::StrJoin(begins, ","), " ",
                                  absl::StrJoin(plan.placement.device, ","));
  for (const std::vector<WorkItem>& program : plan.order.programs) {
    std::vector<std::string> items;
    for (const WorkItem& item : program) items.push_back(ToString(item));
    absl::StrAppend(&text, " ",
                    items.empty() ? "-" : absl::StrJoin(items, ","));
  }
  return text;
}

absl::Status Write(int index, int64_t evaluations) {
  const Problem problem = SmallProblem(index);
  OCTOPIPE_ASSIGN_OR_RETURN(const v1::Problem proto, ProblemToProto(problem));
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(proto, &json).ok()) {
    return absl::InternalError("the problem has no JSON");
  }
  std::cout << absl::StreamFormat(
      R"({"index": %d, "fingerprint": "%016x", "problem": %s)", index,
      Fingerprint(proto), json);
  if (evaluations > 0) {
    TunerOptions options;
    options.evaluations = evaluations;
    OCTOPIPE_ASSIGN_OR_RETURN(const TunerResult tuned, Tune(problem, options));
    std::cout << absl::StreamFormat(R"(, "makespan_ns": %d, "plan": "%s")",
                                    tuned.metrics.makespan_ns,
                                    PlanText(tuned.plan));
  }
  std::cout << "}\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace octopipe

int main(int argc, char** argv) {
  int64_t evaluations = 0;
  if (argc > 2 || (argc == 2 && !absl::SimpleAtoi(argv[1], &evaluations))) {
    std::cerr << "usage: write_small_problems [EVALUATIONS]\n";
    return 2;
  }
  for (int index = 0; index < octopipe::kSmallProblems; ++index) {
    const absl::Status written = octopipe::Write(index, evaluations);
    if (!written.ok()) {
      std::cerr << "problem " << index << ": " << written << "\n";
      return 1;
    }
  }
  return 0;
}
