#include "compiler/transfers/messages.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/transfers/transfer_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using testing::ElementsAre;

// "F 0>1 m2: item 4 to item 7" for each message of a channel.
std::vector<std::string> Texts(const StageTable& table,
                               const Messages& messages, int channel) {
  std::vector<std::string> texts;
  for (int32_t m : messages.OfChannel(channel)) {
    const Message& message = messages.all[m];
    const StageEdge& edge = table.edges[message.edge];
    EXPECT_EQ(message.position, static_cast<int>(texts.size()));
    texts.push_back(absl::StrCat(message.is_gradient ? "B " : "F ", edge.from,
                                 ">", edge.to, " m", message.micro_batch,
                                 ": item ", message.producer, " to item ",
                                 message.consumer));
  }
  return texts;
}

TEST(Messages, FollowTheSenderAndThenTheReader) {
  const StageTable table = SmallTable({0, 1, 0}, {{0, 1}, {1, 2}}, 2);
  const Order order = {
      ParsePrograms({"F0.0 F0.1 F2.1 BW2.1 F2.0 BW2.0 BW0.0 BW0.1",
                     "F1.1 F1.0 B1.1 W1.1 BW1.0"})};
  Messages messages = CollectMessages(table, order, false);
  ASSERT_THAT(messages.channels, ElementsAre(Channel{0, 1}, Channel{1, 0}));
  EXPECT_THAT(
      Texts(table, messages, 0),
      ElementsAre("F 0>1 m0: item 0 to item 1", "F 0>1 m1: item 1 to item 0",
                  "B 1>2 m1: item 3 to item 2", "B 1>2 m0: item 5 to item 4"));
  EXPECT_THAT(
      Texts(table, messages, 1),
      ElementsAre("F 1>2 m1: item 0 to item 2", "F 1>2 m0: item 1 to item 4",
                  "B 0>1 m1: item 2 to item 7", "B 0>1 m0: item 4 to item 6"));
  // BW0.0 reads one tensor.
  ASSERT_EQ(messages.ReadBy(6).size(), 1);
  EXPECT_EQ(BytesOf(table, messages.all[messages.ReadBy(6)[0]]), 201);

  OrderByConsumer(messages);
  EXPECT_THAT(
      Texts(table, messages, 0),
      ElementsAre("F 0>1 m1: item 1 to item 0", "F 0>1 m0: item 0 to item 1",
                  "B 1>2 m1: item 3 to item 2", "B 1>2 m0: item 5 to item 4"));
}

TEST(Messages, LeaveOutWhatNeedsNoGradient) {
  StageTable table = SmallTable({0, 1}, {{0, 1}}, 1);
  table.edges[0].needs_grad = false;
  const Order order = {ParsePrograms({"F0.0 BW0.0", "F1.0 BW1.0"})};
  const Messages messages = CollectMessages(table, order, true);
  EXPECT_THAT(messages.channels,
              ElementsAre(Channel{0, 1, ChannelKind::kActivation}));
  EXPECT_EQ(messages.all.size(), 1);
}

}  // namespace
}  // namespace octopipe
