#include "compiler/transfers/insert_transfers.h"

#include <string>
#include <vector>

#include "compiler/base/finding.h"
#include "compiler/transfers/deadlock_proof.h"
#include "compiler/transfers/transfer_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The programs, proven.
std::vector<std::string> Inserted(const StageTable& table,
                                  const std::vector<std::string>& order,
                                  const TransferOptions& options) {
  const Order parsed = {ParsePrograms(order)};
  const auto plan = InsertTransfers(table, parsed, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  for (const Finding& finding : ProveTransfers(table, parsed, *plan)) {
    ADD_FAILURE() << finding.message;
  }
  return ProgramTexts(*plan);
}

absl::Status Refused(const StageTable& table,
                     const std::vector<std::string>& order,
                     const TransferOptions& options) {
  return InsertTransfers(table, {ParsePrograms(order)}, options).status();
}

// Stages 0 and 2 on device 0, stage 1 on device 1.
TEST(InsertTransfers, SendsBehindProducersAndPostsOneItemAhead) {
  const StageTable table = SmallTable({0, 1, 0}, {{0, 1}, {1, 2}}, 2);
  EXPECT_THAT(
      Inserted(table,
               {"F0.0 F0.1 F2.0 B2.0 F2.1 B2.1 W2.0 W2.1 BW0.0 BW0.1",
                "F1.0 F1.1 BW1.0 BW1.1"},
               {}),
      ElementsAre("F0.0 SF0.0 RF2.0.0 F0.1 SF0.1 F2.0 RF2.1.1 B2.0 SB2.0 F2.1 "
                  "B2.1 SB2.1 W2.0 RB0.0.0 W2.1 RB0.1.1 BW0.0 BW0.1",
                  "RF1.0.0 RF1.1.1 F1.0 SF1.0 RB1.0.0 F1.1 SF1.1 RB1.1.1 BW1.0 "
                  "SB1.0 BW1.1 SB1.1"));
}

// One forward, one backward: posted just in time, each device would wait to
// send.
TEST(InsertTransfers, PostsEarlierWhereDevicesWouldWaitForOneAnother) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  TransferOptions options;
  options.lookahead = 0;
  EXPECT_THAT(
      Inserted(table, {"F0.0 F0.1 BW0.0 BW0.1", "F1.0 BW1.0 F1.1 BW1.1"},
               options),
      ElementsAre("F0.0 SF0.0 F0.1 RB0.0.0 SF0.1 BW0.0 RB0.1.1 BW0.1",
                  "RF1.0.0 F1.0 BW1.0 SB1.0 RF1.1.1 F1.1 BW1.1 SB1.1"));
}

TEST(InsertTransfers, Groups) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  TransferOptions options;
  options.lookahead = 0;
  options.group = true;
  const Order order = {
      ParsePrograms({"F0.0 F0.1 BW0.0 BW0.1", "F1.0 BW1.0 F1.1 BW1.1"})};
  const auto plan = InsertTransfers(table, order, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::string grouped;
  for (const auto& program : plan->programs) {
    for (const ProgramItem& item : program) {
      if (item.group == 0) grouped += ToString(item.work) + " ";
    }
  }
  EXPECT_EQ(grouped, "RB0.0.0 SF0.1 SB1.0 RF1.1.1 ");
  EXPECT_THAT(ProveTransfers(table, order, *plan), testing::IsEmpty());
}

// Stage 1 reads the last forward of stage 0 first.
TEST(InsertTransfers, DefersSendsWhereSlotsAreTooFew) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 3);
  const std::vector<std::string> order = {"F0.0 F0.1 F0.2 BW0.2 BW0.1 BW0.0",
                                          "F1.2 F1.1 F1.0 BW1.2 BW1.1 BW1.0"};
  EXPECT_THAT(Inserted(table, order, {}),
              ElementsAre("F0.0 F0.1 RB0.2.0 F0.2 RB0.1.1 SF0.2 SF0.1 SF0.0 "
                          "BW0.2 RB0.0.0 BW0.1 BW0.0",
                          "RF1.2.0 RF1.1.1 F1.2 RF1.0.0 F1.1 F1.0 BW1.2 SB1.2 "
                          "BW1.1 SB1.1 BW1.0 SB1.0"));
  TransferOptions options;
  options.defer_sends = false;
  const absl::Status refused = Refused(table, order, options);
  EXPECT_EQ(RuleOf(refused), Rule::kSlotsTooFew);
  EXPECT_EQ(std::string(refused.message()),
            "device 1 cannot receive what F1.2 reads from device 0: the 2 "
            "slots of the channel hold tensors that are read later or together "
            "with it; 3 slots a channel suffice");
  options.slots = 3;
  EXPECT_THAT(Inserted(table, order, options),
              ElementsAre("F0.0 SF0.0 F0.1 SF0.1 RB0.2.0 F0.2 SF0.2 RB0.1.1 "
                          "BW0.2 RB0.0.2 BW0.1 BW0.0",
                          "RF1.0.0 RF1.1.1 RF1.2.2 F1.2 F1.1 F1.0 BW1.2 SB1.2 "
                          "BW1.1 SB1.1 BW1.0 SB1.0"));
}

TEST(InsertTransfers, NamesThePeersOfBranches) {
  const StageTable table = SmallTable({0, 1, 1}, {{0, 1}, {0, 2}}, 1);
  EXPECT_THAT(
      Inserted(table, {"F0.0 BW0.0", "F1.0 F2.0 BW1.0 BW2.0"}, {}),
      ElementsAre("RB0.0.0 RB0from2.0.1 F0.0 SF0.0 SF0to2.0 BW0.0",
                  "RF1.0.0 RF2from0.0.1 F1.0 F2.0 BW1.0 SB1.0 BW2.0 SB2to0.0"));
}

// An item that reads three tensors over one channel.
TEST(InsertTransfers, SaysHowManySlotsAnItemNeeds) {
  const StageTable table =
      SmallTable({0, 0, 0, 1}, {{0, 3}, {1, 3}, {2, 3}}, 1);
  const std::vector<std::string> order = {"F0.0 F1.0 F2.0 BW2.0 BW1.0 BW0.0",
                                          "F3.0 BW3.0"};
  const absl::Status refused = Refused(table, order, {});
  EXPECT_EQ(RuleOf(refused), Rule::kSlotsTooFew);
  EXPECT_EQ(SubjectOf(refused), (Subject{SubjectKind::kItem, 1, 0}));
  EXPECT_EQ(std::string(refused.message()),
            "device 1 cannot receive what F3.0 reads from device 0: the 2 "
            "slots of the channel hold tensors that are read later or together "
            "with it; 3 slots a channel suffice");
}

TEST(InsertTransfers, PostsNoEarlierThanMemoryAllows) {
  StageTable table = SmallTable({0, 1}, {{0, 1}}, 3);
  const std::vector<std::string> order = {"F0.0 F0.1 F0.2 BW0.0 BW0.1 BW0.2",
                                          "F1.0 F1.1 F1.2 BW1.0 BW1.1 BW1.2"};
  TransferOptions options;
  options.slots = 3;
  options.lookahead = 2;
  EXPECT_THAT(Inserted(table, order, options),
              ElementsAre("F0.0 SF0.0 RB0.0.0 F0.1 SF0.1 RB0.1.1 F0.2 SF0.2 "
                          "RB0.2.2 BW0.0 BW0.1 BW0.2",
                          "RF1.0.0 RF1.1.1 RF1.2.2 F1.0 F1.1 F1.2 BW1.0 SB1.0 "
                          "BW1.1 SB1.1 BW1.2 SB1.2"));
  table.memory_bytes[1] = 250;
  EXPECT_THAT(Inserted(table, order, options),
              ElementsAre("F0.0 SF0.0 RB0.0.0 F0.1 SF0.1 RB0.1.1 F0.2 SF0.2 "
                          "RB0.2.2 BW0.0 BW0.1 BW0.2",
                          "RF1.0.0 RF1.1.1 F1.0 RF1.2.2 F1.1 F1.2 BW1.0 SB1.0 "
                          "BW1.1 SB1.1 BW1.2 SB1.2"));
  table.memory_bytes[1] = 100;
  table.static_bytes[1] = 1;
  const absl::Status refused = Refused(table, order, options);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RuleOf(refused), Rule::kMemoryExceeded);
  EXPECT_EQ(std::string(refused.message()),
            "device 1 has 99 bytes left at item 0 (F1.0) to receive 100 bytes "
            "from device 0 for item 0 (F1.0); use a plan with fewer "
            "micro-batches in flight");
}

TEST(InsertTransfers, SplitsChannelsByKind) {
  // Stage 1 sends activations to device 0, and gradients.
  const StageTable table = SmallTable({0, 1, 0}, {{0, 1}, {1, 2}}, 1);
  const Order order = {ParsePrograms({"F0.0 F2.0 BW2.0 BW0.0", "F1.0 BW1.0"})};
  TransferOptions options;
  EXPECT_EQ(InsertTransfers(table, order, options)->channels.size(), 2);
  options.channel_per_kind = true;
  EXPECT_EQ(InsertTransfers(table, order, options)->channels.size(), 4);
}

TEST(InsertTransfers, LeavesOneDeviceAsItIs) {
  const StageTable table = SmallTable({0, 0}, {{0, 1}}, 1);
  EXPECT_THAT(Inserted(table, {"F0.0 F1.0 BW1.0 BW0.0"}, {}),
              ElementsAre("F0.0 F1.0 BW1.0 BW0.0"));
}

TEST(InsertTransfers, RefusesOptionsOutOfRange) {
  const StageTable table = SmallTable({0}, {}, 1);
  for (int slots : {0, -1, 32768}) {
    TransferOptions options;
    options.slots = slots;
    EXPECT_THAT(std::string(Refused(table, {"F0.0 BW0.0"}, options).message()),
                HasSubstr("expected 1 to 32767"));
  }
  TransferOptions options;
  options.lookahead = -1;
  EXPECT_EQ(Refused(table, {"F0.0 BW0.0"}, options).message(),
            "lookahead is -1; expected at least 0");
}

}  // namespace
}  // namespace octopipe
