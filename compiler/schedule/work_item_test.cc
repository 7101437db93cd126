#include "compiler/schedule/work_item.h"

#include <string>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(WorkItem, RoundTripsEveryKind) {
  for (const char* text :
       {"F2.5", "B0.0", "W11.3", "BW0.3", "SF1.5", "RF2.5", "RF2.5.1", "SB3.0",
        "RB3.0.7", "F2147483647.2147483647"}) {
    absl::StatusOr<WorkItem> item = ParseWorkItem(text);
    ASSERT_TRUE(item.ok()) << item.status();
    EXPECT_EQ(ToString(*item), text);
  }
}

TEST(WorkItem, RefusesWhatIsNotAnItem) {
  for (const char* text : {"",
                           "F",
                           "F2",
                           "F2.",
                           "F.1",
                           "X2.1",
                           "FF2.1",
                           "f2.1",
                           "F-1.2",
                           "F02.1",
                           "F2.01",
                           "F2.1 ",
                           " F2.1",
                           "F2.1.0",
                           "SF2.1.0",
                           "RF2.1.",
                           "RF2.1.32768",
                           "F2147483648.0",
                           "F0.99999999999999999999",
                           "F2,1",
                           "BW2.1x"}) {
    EXPECT_FALSE(ParseWorkItem(text).ok()) << text;
  }
}

TEST(WorkItem, ErrorShowsTheText) {
  EXPECT_EQ(ParseWorkItem("F2").status().message(),
            "expected <kind><stage>.<micro-batch>[.<slot>], got 'F2'");
}

}  // namespace
}  // namespace octopipe
