#include "compiler/transfers/slots.h"

#include <vector>

#include "compiler/base/finding.h"
#include "compiler/transfers/transfer_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using testing::ElementsAre;

class Slots : public testing::Test {
 protected:
  absl::StatusOr<ReceivePlan> Plan(const StageTable& table, int slots,
                                   int lookahead) {
    messages_ = CollectMessages(table, order_, false);
    ReceiveMemory memory(table, order_);
    return PlanReceives(table, order_, messages_, slots, lookahead, memory);
  }

  // What stage 0 sends stands first.
  const StageTable table_ = SmallTable({0, 1}, {{0, 1}}, 4);
  const Order order_ = {
      ParsePrograms({"F0.0 F0.1 F0.2 F0.3 BW0.0 BW0.1 BW0.2 BW0.3",
                     "F1.0 BW1.0 F1.2 F1.1 BW1.2 BW1.1 F1.3 BW1.3"})};
  Messages messages_;
};

TEST_F(Slots, AreFreeAgainBehindTheReader) {
  const auto plan = Plan(table_, 2, 1);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const int channel = 0;
  const auto carried = messages_.OfChannel(channel);
  ASSERT_THAT(carried, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(std::vector<int>(plan->slot.begin(), plan->slot.begin() + 4),
              ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(
      std::vector<int>(plan->earliest.begin(), plan->earliest.begin() + 4),
      ElementsAre(0, 0, 1, 3));
  // F1.1 is read behind F1.2, which is sent behind it.
  EXPECT_THAT(std::vector<int>(plan->latest.begin(), plan->latest.begin() + 4),
              ElementsAre(0, 2, 2, 6));
  EXPECT_THAT(std::vector<int>(plan->post.begin(), plan->post.begin() + 4),
              ElementsAre(0, 1, 1, 5));
}

TEST_F(Slots, AreTooFewWhereAnEarlierTensorIsReadLater) {
  const auto plan = Plan(table_, 1, 1);
  EXPECT_EQ(RuleOf(plan.status()), Rule::kSlotsTooFew);
  EXPECT_EQ(SubjectOf(plan.status()), (Subject{SubjectKind::kItem, 1, 2}));
}

TEST_F(Slots, WaitForMemory) {
  StageTable table = table_;
  table.memory_bytes[1] = 1000;
  // BW1.0 and BW1.1 leave room for one tensor, BW1.2 for none.
  table.stages[1].saved_b_bytes = 100;
  table.stages[1].b_workspace_bytes = 750;
  const auto plan = Plan(table, 2, 6);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(std::vector<int>(plan->post.begin(), plan->post.begin() + 4),
              ElementsAre(0, 0, 2, 5));
}

TEST_F(Slots, FailWithoutRoomForATensor) {
  StageTable table = table_;
  table.memory_bytes[1] = 199;  // F1.1's, from when F1.2's is posted
  const auto plan = Plan(table, 2, 1);
  EXPECT_EQ(RuleOf(plan.status()), Rule::kMemoryExceeded);
  EXPECT_EQ(SubjectOf(plan.status()), (Subject{SubjectKind::kItem, 1, 2}));
}

}  // namespace
}  // namespace octopipe
