#include "compiler/transfers/deadlock_proof.h"

#include <string>
#include <vector>

#include "compiler/transfers/read_transfers.h"
#include "compiler/transfers/transfer_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Prove(const StageTable& table,
                               const std::vector<std::string>& programs,
                               const TransferOptions& options = {}) {
  const TransferPlan plan =
      ReadTransfers(table, ParsePrograms(programs), options);
  std::vector<std::string> messages;
  for (const Finding& finding :
       ProveTransfers(table, WithoutTransfers(plan), plan)) {
    messages.push_back(std::string(RuleName(finding.rule)) + ": " +
                       finding.message);
  }
  return messages;
}

// One forward, one backward, with receives just in time: each device sends
// before it receives.
TEST(ProveTransfers, FindsTwoDevicesThatSendToEachOther) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  EXPECT_THAT(
      Prove(table, {"F0.0 SF0.0 F0.1 SF0.1 RB0.0.0 BW0.0 RB0.1.1 BW0.1",
                    "RF1.0.0 F1.0 BW1.0 SB1.0 RF1.1.1 F1.1 BW1.1 SB1.1"}),
      ElementsAre("deadlock: the devices wait for one another for ever: device "
                  "0 waits at item 3 (SF0.1) to send the activation of stage "
                  "0, micro-batch 1, to device 1, which waits at item 3 "
                  "(SB1.0) to send the gradient of stage 1, micro-batch 0, to "
                  "device 0; post receives earlier, or use more slots"));
}

TEST(ProveTransfers, AcceptsThemAsAGroup) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  TransferOptions options;
  options.group = true;
  EXPECT_THAT(Prove(table,
                    {"F0.0 SF0.0 F0.1 SF0.1 RB0.0.0 BW0.0 RB0.1.1 BW0.1",
                     "RF1.0.0 F1.0 BW1.0 SB1.0 RF1.1.1 F1.1 BW1.1 SB1.1"},
                    options),
              IsEmpty());
}

// Three devices in a ring, and two more that send to each other.
TEST(ProveTransfers, NamesTheShortestCycle) {
  const std::vector<std::string> ring = {
      "F0.0 SF0.0 RF5.0.0 F5.0 BW5.0 SB5.0 RB0.0.0 BW0.0",
      "F2.0 SF2.0 RF1.0.0 F1.0 BW1.0 SB1.0 RB2.0.0 BW2.0",
      "F4.0 SF4.0 RF3.0.0 F3.0 BW3.0 SB3.0 RB4.0.0 BW4.0"};
  EXPECT_THAT(
      Prove(SmallTable({0, 1, 1, 2, 2, 0}, {{0, 1}, {2, 3}, {4, 5}}, 1), ring),
      ElementsAre(
          "deadlock: the devices wait for one another for ever: device 0 waits "
          "at item 1 (SF0.0) to send the activation of stage 0, micro-batch 0, "
          "to device 1, which waits at item 1 (SF2.0) to send the activation "
          "of stage 2, micro-batch 0, to device 2, which waits at item 1 "
          "(SF4.0) to send the activation of stage 4, micro-batch 0, to device "
          "0; post receives earlier, or use more slots"));
  std::vector<std::string> both = ring;
  both.push_back("F6.0 SF6.0 RF9.0.0 F9.0 BW9.0 SB9.0 RB6.0.0 BW6.0");
  both.push_back("F8.0 SF8.0 RF7.0.0 F7.0 BW7.0 SB7.0 RB8.0.0 BW8.0");
  EXPECT_THAT(
      Prove(SmallTable({0, 1, 1, 2, 2, 0, 3, 4, 4, 3},
                       {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}, 1),
            both),
      ElementsAre("deadlock: the devices wait for one another for ever: device "
                  "3 waits at item 1 (SF6.0) to send the activation of stage "
                  "6, micro-batch 0, to device 4, which waits at item 1 "
                  "(SF8.0) to send the activation of stage 8, micro-batch 0, "
                  "to device 3; post receives earlier, or use more slots"));
}

// Device 1 waits for a tensor that device 0 sends behind one that device 1
// receives later.
TEST(ProveTransfers, FindsAReceiverThatWaits) {
  const StageTable table = SmallTable({0, 1, 0}, {{0, 1}, {1, 2}}, 1);
  TransferOptions options;
  options.channel_per_kind = true;
  EXPECT_THAT(Prove(table,
                    {"F0.0 SF0.0 RF2.0.0 F2.0 BW2.0 SB2.0 RB0.0.0 BW0.0",
                     "RF1.0.0 F1.0 SF1.0 RB1.0.0 BW1.0 SB1.0"},
                    options),
              IsEmpty());
  EXPECT_THAT(
      Prove(table,
            {"F0.0 RF2.0.0 F2.0 SF0.0 BW2.0 SB2.0 RB0.0.0 BW0.0",
             "RF1.0.0 F1.0 SF1.0 RB1.0.0 BW1.0 SB1.0"},
            options),
      ElementsAre("deadlock: the devices wait for one another for ever: device "
                  "0 waits at item 2 (F2.0) to receive the activation of stage "
                  "1, micro-batch 0, from device 1, which waits at item 1 "
                  "(F1.0) to receive the activation of stage 0, micro-batch 0, "
                  "from device 0; post receives earlier, or use more slots"));
}

class Small : public testing::Test {
 protected:
  const StageTable table_ = SmallTable({0, 1}, {{0, 1}}, 1);
  const std::string zero_ = "F0.0 SF0.0 RB0.0.0 BW0.0";
  const std::string one_ = "RF1.0.0 F1.0 BW1.0 SB1.0";
};

TEST_F(Small, IsAccepted) {
  EXPECT_THAT(Prove(table_, {zero_, one_}), IsEmpty());
}

TEST_F(Small, NamesWhatIsMissing) {
  EXPECT_THAT(Prove(table_, {"F0.0 RB0.0.0 BW0.0", one_}),
              ElementsAre("transfer-missing: device 0 does not send the "
                          "activation of stage 0, micro-batch 0, to stage 1"));
  EXPECT_THAT(Prove(table_, {"F0.0 SF0.0 BW0.0", one_}),
              ElementsAre("transfer-missing: device 0 does not receive the "
                          "gradient of stage 1, micro-batch 0, in stage 0"));
}

TEST_F(Small, NamesWhatIsThereTwice) {
  EXPECT_THAT(Prove(table_, {"F0.0 SF0.0 SF0.0 RB0.0.0 BW0.0", one_}),
              ElementsAre("transfer-repeated: device 0 has SF0.0 at item 2, "
                          "which repeats item 1"));
}

TEST_F(Small, NamesWhatIsNoTensor) {
  EXPECT_THAT(Prove(table_, {zero_, one_ + " SF1.0"}),
              ElementsAre("transfer-invalid: device 1 has SF1.0 at item 4, "
                          "which is no tensor of the plan"));
  EXPECT_THAT(
      Prove(table_, {zero_ + " RF1.0.0", one_}),
      ElementsAre("transfer-invalid: device 0 has RF1.0.0 at item 4, but stage "
                  "1 is on device 1 and stage 0 on device 0"));
  EXPECT_THAT(Prove(table_, {zero_, "RF1.0.2 F1.0 BW1.0 SB1.0"}),
              ElementsAre("transfer-invalid: device 1 has RF1.0.2 at item 0; "
                          "expected a slot from 0 to 1",
                          "transfer-missing: device 1 does not receive the "
                          "activation of stage 0, micro-batch 0, in stage 1"));
  EXPECT_THAT(Prove(table_, {zero_, "RF1.0 F1.0 BW1.0 SB1.0"}),
              ElementsAre("transfer-invalid: device 1 has RF1.0 at item 0; "
                          "expected a slot from 0 to 1",
                          "transfer-missing: device 1 does not receive the "
                          "activation of stage 0, micro-batch 0, in stage 1"));
}

TEST_F(Small, NamesWhatIsInTheWrongPlace) {
  EXPECT_THAT(Prove(table_, {"SF0.0 F0.0 RB0.0.0 BW0.0", one_}),
              ElementsAre("transfer-flow: device 0 has SF0.0 at item 0 before "
                          "the item that makes the tensor"));
  EXPECT_THAT(Prove(table_, {zero_, "F1.0 RF1.0.0 BW1.0 SB1.0"}),
              ElementsAre("transfer-flow: device 1 has RF1.0.0 at item 1 "
                          "behind the item that reads the tensor"));
}

TEST_F(Small, NamesAnotherOrder) {
  const TransferPlan plan =
      ReadTransfers(table_, ParsePrograms({zero_, one_}), {});
  const Order order = {ParsePrograms({"F0.0 BW0.0", "F1.0 B1.0 W1.0"})};
  const auto findings = ProveTransfers(table_, order, plan);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, Rule::kOrderChanged);
  EXPECT_EQ(findings[0].message,
            "device 1 has BW1.0 at item 2; the scheduled order has B1.0");
}

TEST_F(Small, NamesTooLittleMemory) {
  StageTable table = table_;
  table.memory_bytes[1] = 100;
  EXPECT_THAT(Prove(table, {zero_, one_}), IsEmpty());
  table.static_bytes[1] = 1;
  EXPECT_THAT(
      Prove(table, {zero_, one_}),
      ElementsAre(
          "memory-exceeded: device 1 needs 101 bytes at item 1 (F1.0), of "
          "which 100 bytes are received tensors, and has 100 bytes"));
}

TEST(ProveTransfers, NamesChannelsOfDifferentOrder) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  EXPECT_THAT(
      Prove(table, {"F0.0 SF0.0 F0.1 SF0.1 RB0.0.0 RB0.1.1 BW0.0 BW0.1",
                    "RF1.1.1 RF1.0.0 F1.0 F1.1 BW1.0 SB1.0 BW1.1 SB1.1"}),
      ElementsAre(
          "channel-order: device 1 has RF1.0.0 at item 1 as message 1 of "
          "channel 0, but device 0 sends it as message 0 of channel 0",
          "channel-order: device 1 has RF1.1.1 at item 0 as message 0 of "
          "channel 0, but device 0 sends it as message 1 of channel 0"));
}

TEST(ProveTransfers, NamesASlotThatIsInUse) {
  const StageTable table = SmallTable({0, 1}, {{0, 1}}, 2);
  EXPECT_THAT(
      Prove(table, {"F0.0 SF0.0 F0.1 SF0.1 RB0.0.0 RB0.1.1 BW0.0 BW0.1",
                    "RF1.0.0 RF1.1.0 F1.0 F1.1 BW1.0 SB1.0 BW1.1 SB1.1"}),
      ElementsAre(
          "slot-in-use: device 1 has RF1.1.0 at item 1, but slot 0 holds the "
          "tensor of item 0 (RF1.0.0) until the item that reads it has ended"));
}

}  // namespace
}  // namespace octopipe
