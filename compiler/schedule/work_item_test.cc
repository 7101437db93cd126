#include "compiler/schedule/work_item.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(WorkItem, RoundTripsEveryKind) {
  for (const char* text :
       {"F2.5", "B0.0", "W11.3", "BW0.3", "SF1.5", "RF2.5", "RF2.5.1", "SB3.0",
        "RB3.0.7", "F2147483647.2147483647", "SF1to3.5", "RF3from1.5",
        "RF3from1.5.0", "SB3to1.0", "RB1from3.0.32767", "SF2to1.0",
        "SF0to2147483647.0", "SF2147483647.0", "RF0.0"}) {
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
                           "BW2.1x",
                           "SF1to1.5",
                           "SF1to.5",
                           "SF1to03.5",
                           "SF1to3",
                           "SF1from3.5",
                           "RF3to1.5",
                           "RF3from1.5.",
                           "RF3from-1.5",
                           "RF3fro1.5",
                           "SF1to2147483648.5",
                           "F1to3.5",
                           "BW3from1.5",
                           "SF1TO3.5"}) {
    EXPECT_FALSE(ParseWorkItem(text).ok()) << text;
  }
}

TEST(WorkItem, LeavesOutANeighbour) {
  for (const auto& [with_peer, without] :
       {std::pair("SF1to2.5", "SF1.5"), std::pair("RF2from1.5.0", "RF2.5.0"),
        std::pair("SB2to1.5", "SB2.5"), std::pair("RB1from2.5", "RB1.5")}) {
    absl::StatusOr<WorkItem> item = ParseWorkItem(with_peer);
    ASSERT_TRUE(item.ok()) << item.status();
    EXPECT_EQ(ToString(*item), without);
    EXPECT_EQ(*item, *ParseWorkItem(without));
  }
}

TEST(WorkItem, PeerIsTheOtherEnd) {
  for (const auto& [text, peer] :
       {std::pair("SF1.5", 2), std::pair("RF2.5.0", 1), std::pair("SB2.5", 1),
        std::pair("RB1.5", 2), std::pair("SF1to3.5", 3),
        std::pair("RF3from1.5", 1)}) {
    absl::StatusOr<WorkItem> item = ParseWorkItem(text);
    ASSERT_TRUE(item.ok()) << item.status();
    EXPECT_EQ(PeerOf(*item), peer) << text;
    EXPECT_EQ(
        Transfer(item->kind, item->stage, peer, item->micro_batch, item->slot),
        *item);
  }
  EXPECT_NE(*ParseWorkItem("SF1to3.5"), *ParseWorkItem("SF1.5"));
  EXPECT_EQ(PeerOf(Forward(1, 2)), -1);
}

TEST(WorkItem, ErrorShowsTheText) {
  EXPECT_EQ(ParseWorkItem("F2").status().message(),
            "expected <kind><stage>.<micro-batch>[.<slot>], got 'F2'");
}

}  // namespace
}  // namespace octopipe
