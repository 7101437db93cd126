// Bounds and tuner against proven optima: exact_optima.txt, which a solver made
// (exact_optimum.py, where its fields are told) and checks in another test.

#include <atomic>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "compiler/artifact/problem_proto.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/schedule/check_problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/schedule/work_item.h"
#include "compiler/search/improve_small.h"
#include "compiler/search/tuner.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"
#include "tests/oracles/exact/small_problem.h"

namespace octopipe {
namespace {

struct Optimum {
  std::string fingerprint;
  Nanos makespan_ns = 0;
  Plan plan;
};

std::vector<int> ReadList(absl::string_view text) {
  std::vector<int> values;
  for (absl::string_view field : absl::StrSplit(text, ',')) {
    values.push_back(-1);
    EXPECT_TRUE(absl::SimpleAtoi(field, &values.back())) << text;
  }
  return values;
}

std::vector<WorkItem> ReadProgram(absl::string_view text) {
  std::vector<WorkItem> program;
  if (text == "-") return program;
  for (absl::string_view field : absl::StrSplit(text, ',')) {
    const auto item = ParseWorkItem(field);
    EXPECT_TRUE(item.ok()) << item.status();
    if (item.ok()) program.push_back(*item);
  }
  return program;
}

// Of problem i at i; fewer than kSmallProblems if the file is damaged.
std::vector<Optimum> ReadOptima() {
  std::ifstream file("tests/oracles/exact/exact_optima.txt");
  std::vector<Optimum> optima;
  for (std::string line; std::getline(file, line);) {
    const int index = static_cast<int>(optima.size());
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    const Problem problem = SmallProblem(index);
    Optimum optimum;
    if (fields.size() != 5 + problem.devices.size() ||
        fields[0] != absl::StrCat(index) ||
        !absl::SimpleAtoi(fields[2], &optimum.makespan_ns)) {
      ADD_FAILURE() << "line " << index + 1 << ": " << line;
      break;
    }
    optimum.fingerprint = fields[1];
    Plan& plan = optimum.plan;
    plan.partition.begin = ReadList(fields[3]);
    plan.partition.begin.push_back(static_cast<int>(problem.layers.size()));
    plan.placement.device = ReadList(fields[4]);
    for (size_t d = 0; d < problem.devices.size(); ++d) {
      plan.order.programs.push_back(ReadProgram(fields[5 + d]));
    }
    optima.push_back(optimum);
  }
  return optima;
}

class ExactOptimaTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    optima_ = new std::vector<Optimum>(ReadOptima());
  }
  static void TearDownTestSuite() { delete optima_; }
  void SetUp() override { ASSERT_EQ(optima_->size(), kSmallProblems); }

  static std::vector<Optimum>* optima_;
};
std::vector<Optimum>* ExactOptimaTest::optima_ = nullptr;

TEST_F(ExactOptimaTest, AreOfTheseProblems) {
  for (int i = 0; i < kSmallProblems; ++i) {
    const Problem problem = SmallProblem(i);
    ASSERT_TRUE(CheckProblem(problem).empty()) << i;
    const auto proto = ProblemToProto(problem);
    ASSERT_TRUE(proto.ok()) << proto.status();
    EXPECT_EQ((*optima_)[i].fingerprint,
              absl::StrFormat("%016x", Fingerprint(*proto)))
        << "problem " << i << " is not the one that was solved; run "
        << "tools/dev/update_exact_optima.sh";
  }
}

TEST_F(ExactOptimaTest, AreTakenByTheirPlans) {
  for (int i = 0; i < kSmallProblems; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = SmallProblem(i);
    const Plan& plan = (*optima_)[i].plan;
    const std::vector<Finding> findings = VerifyPlan(problem, plan);
    ASSERT_TRUE(findings.empty()) << findings.front().message;
    const auto timeline = EvaluateOrder(
        BuildStageTable(problem, plan.partition, plan.placement), plan.order);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    EXPECT_EQ(timeline->makespan_ns, (*optima_)[i].makespan_ns);
  }
}

TEST_F(ExactOptimaTest, NoBoundExceedsThem) {
  int attained = 0;
  for (int i = 0; i < kSmallProblems; ++i) {
    const Problem problem = SmallProblem(i);
    for (const Bound& bound : AllBounds(problem)) {
      EXPECT_LE(bound.ns, (*optima_)[i].makespan_ns)
          << i << ", " << BoundKindName(bound.kind) << ": "
          << bound.certificate;
    }
    attained += BestBound(problem).ns == (*optima_)[i].makespan_ns;
  }
  // A fault that makes a bound stronger would show.
  EXPECT_GT(attained, kSmallProblems / 5);
  RecordProperty("attained", attained);
}

TEST_F(ExactOptimaTest, TheSearchOfSmallProblemsProvesThem) {
  for (int i = 0; i < kSmallProblems; ++i) {
    const Problem problem = SmallProblem(i);
    ASSERT_TRUE(IsSmall(problem));
    const Nanos optimum = (*optima_)[i].makespan_ns;
    int64_t nodes = 1'000'000;
    const auto found =
        ImproveSmall(problem, nullptr, true, 2 * optimum, &nodes);
    ASSERT_TRUE(found.has_value()) << i;
    EXPECT_EQ(found->makespan_ns, optimum) << i;
    EXPECT_GT(nodes, 0) << i;
  }
}

TEST_F(ExactOptimaTest, TheTunerReachesThem) {
  for (int i = 0; i < kSmallProblems; ++i) {
    const Nanos optimum = (*optima_)[i].makespan_ns;
    std::atomic<bool> at_optimum{false};
    TunerOptions options;
    options.evaluations = 20000;
    options.cancel = &at_optimum;
    options.progress = [&](const TunerProgress& progress) {
      at_optimum = progress.makespan_ns <= optimum;
    };
    const auto tuned = Tune(SmallProblem(i), options);
    ASSERT_TRUE(tuned.ok()) << i << ": " << tuned.status();
    EXPECT_EQ(tuned->metrics.makespan_ns, optimum) << i;
  }
}

// With one kind of move off the problem is not searched to the end, so that
// this is what the islands find: a sweep and moves of whole stages miss some.
TEST_F(ExactOptimaTest, TheIslandsNeverPassThem) {
  for (int i = 0; i < kSmallProblems; ++i) {
    TunerOptions options;
    options.evaluations = 2000;
    options.placement = false;
    const auto tuned = Tune(SmallProblem(i), options);
    ASSERT_TRUE(tuned.ok()) << i << ": " << tuned.status();
    EXPECT_GE(tuned->metrics.makespan_ns, (*optima_)[i].makespan_ns) << i;
  }
}

}  // namespace
}  // namespace octopipe
