// That what the insertion makes comes back is in random_plans_test.cc.

#include "compiler/transfers/read_transfers.h"

#include "compiler/transfers/transfer_text.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(ReadTransfers, FillsInWhatTextLeavesOut) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  const TransferPlan plan = ReadTransfers(
      table,
      ParsePrograms({"F0.0 SF0.0 F0.1 SF0.1 RB0.0.1", "RF1.0.0 F1.0 SB1.0"}),
      {});
  EXPECT_EQ(plan.channels.size(), 2);
  EXPECT_EQ(
      plan.programs[0][3],
      (ProgramItem{{WorkKind::kSendActivation, -1, 0, 1}, 0, 1, -1, 100}));
  EXPECT_EQ(
      plan.programs[0][4],
      (ProgramItem{{WorkKind::kReceiveGradient, 1, 0, 0}, 1, 0, -1, 201}));
  EXPECT_EQ(plan.programs[1][1], (ProgramItem{Forward(1, 0)}));
}

TEST(ReadTransfers, GivesNoChannelToWhatIsNoTensorOfTheDevice) {
  const StageTable table = SmallTable({0, 1, 1}, {{0, 1}, {1, 2}}, 1);
  const TransferPlan plan = ReadTransfers(
      table,
      ParsePrograms({"RF1.0.0 SF0to2.0 SF9.0 RF0.0 SF2147483647.0 SB1.0",
                     "SF0.0 SF1.0 RF2.0.0"}),
      {});
  for (const auto& program : plan.programs) {
    for (const ProgramItem& item : program) {
      EXPECT_EQ(item.channel, -1) << ToString(item.work);
    }
  }
}

// Next to each other on one device only.
TEST(ReadTransfers, GroupsOnlyExchanges) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  TransferOptions options;
  options.group = true;
  const TransferPlan plan = ReadTransfers(
      table,
      ParsePrograms({"F0.0 SF0.0 F0.1 SF0.1 RB0.0.0 BW0.0 RB0.1.1 BW0.1",
                     "RF1.0.0 RF1.1.1 F1.0 BW1.0 SB1.0 F1.1 BW1.1 SB1.1"}),
      options);
  for (const auto& program : plan.programs) {
    for (const ProgramItem& item : program) EXPECT_EQ(item.group, -1);
  }
}

TEST(TransferPlan, CountsDeferredSends) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  EXPECT_EQ(CountDeferredSends(ReadTransfers(
                table,
                ParsePrograms({"F0.0 F0.1 SF0.1 SF0.0 RB0.0.0 RB0.1.1 BW0.0",
                               "RF1.0.0 F1.0 B1.0 SB1.0 B1.1 W1.1 SB1.1"}),
                {})),
            2);
}

}  // namespace
}  // namespace octopipe
