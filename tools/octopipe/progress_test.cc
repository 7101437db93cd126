#include "tools/octopipe/progress.h"

#include <string>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TunerProgress At(double seconds) {
  TunerProgress progress;
  progress.makespan_ns = 110'000'000;
  progress.bound_ns = 100'000'000;
  progress.evaluations = static_cast<int64_t>(2000 * seconds);
  progress.seconds = seconds;
  return progress;
}

TEST(ProgressTextTest, OverwritesOneLineOfATerminal) {
  ProgressText text(true, "");
  EXPECT_EQ(text.End(), "");
  EXPECT_EQ(text.Next(At(0.25)),
            "\r\033[K0 s: best 110.000 ms, bound 100.000 ms, gap 10.00 %, "
            "2000 evaluations/s");
  EXPECT_EQ(text.Next(At(0.3)), "");
  EXPECT_EQ(text.Next(At(0.5)).substr(0, 4), "\r\033[K");
  EXPECT_EQ(text.End(), "\n");
}

TEST(ProgressTextTest, WritesALineEveryTenSecondsElsewhere) {
  ProgressText text(false, "free plan: ");
  EXPECT_EQ(text.Next(At(0.25)), "");
  EXPECT_EQ(text.Next(At(9.9)), "");
  EXPECT_EQ(text.Next(At(12)),
            "free plan: 12 s: best 110.000 ms, bound 100.000 ms, gap 10.00 %, "
            "2000 evaluations/s\n");
  EXPECT_EQ(text.Next(At(21)), "");
  EXPECT_NE(text.Next(At(22.5)), "");
  EXPECT_EQ(text.End(), "");
}

TEST(ProgressTextTest, StandsNoTimeAtAll) {
  ProgressText text(true, "");
  EXPECT_NE(text.Next({1, 0, 5, 0}), "");
}

}  // namespace
}  // namespace octopipe
