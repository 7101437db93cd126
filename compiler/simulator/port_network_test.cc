#include "compiler/simulator/port_network.h"

#include <vector>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

// Two channels of 1,000 bytes a microsecond on a port of as much, and one of
// 100 beside them.
PortNetwork TwoFastOneSlow() {
  return PortNetwork({{0, 1000}, {0, 1000}, {0, 100}, {-1, 0}}, {1000});
}

void Begin(PortNetwork& network, int channel, Bytes bytes, Nanos now) {
  network.Begin(channel, network.WorkOf(channel, bytes, bytes), now);
}

TEST(PortNetwork, GivesOneMessageTheBandwidthOfItsChannel) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 700, 5);
  network.Settle(5);
  EXPECT_EQ(network.EndOf(0), 705);
  network.End(0);
  Begin(network, 2, 700, 705);
  network.Settle(705);
  EXPECT_EQ(network.EndOf(2), 705 + 7000);
}

TEST(PortNetwork, RoundsTheEndUp) {
  PortNetwork network({{0, 3000}, {0, 3000}}, {3000});
  Begin(network, 0, 7, 0);
  network.Settle(0);
  EXPECT_EQ(network.EndOf(0), 3);
}

TEST(PortNetwork, HalvesItBetweenTwo) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 700, 0);
  Begin(network, 1, 700, 0);
  network.Settle(0);
  EXPECT_EQ(network.EndOf(0), 1400);
  EXPECT_EQ(network.EndOf(1), 1400);
}

// 100 bytes each way at half the bandwidth, then the other 600 at all of it.
TEST(PortNetwork, GivesTheRestToWhoeverIsLeft) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 700, 0);
  Begin(network, 1, 100, 0);
  network.Settle(0);
  ASSERT_EQ(network.EndOf(1), 200);
  network.End(1);
  network.Settle(200);
  EXPECT_EQ(network.EndOf(0), 200 + 600);
}

// The slow one takes 100 of 1,000, the fast ones 450 each.
TEST(PortNetwork, LeavesToOthersWhatOneCannotUse) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 900, 0);
  Begin(network, 1, 900, 0);
  Begin(network, 2, 900, 0);
  network.Settle(0);
  EXPECT_EQ(network.EndOf(0), 2000);
  EXPECT_EQ(network.EndOf(1), 2000);
  EXPECT_EQ(network.EndOf(2), 9000);
}

TEST(PortNetwork, IsExactForPartsUpToSixteen) {
  for (int n = 1; n <= 16; ++n) {
    std::vector<PortNetwork::Channel> channels(n, {0, 1000});
    PortNetwork network(channels, {1000});
    for (int c = 0; c < n; ++c) Begin(network, c, 1001, 0);
    network.Settle(0);
    for (int c = 0; c < n; ++c) EXPECT_EQ(network.EndOf(c), n * 1001);
  }
}

TEST(PortNetwork, HoldsTheLargestSizes) {
  const Bytes bytes = int64_t{1} << 50;
  PortNetwork network({{0, int64_t{1} << 40}, {0, 1}}, {int64_t{1} << 40});
  Begin(network, 0, bytes, 0);
  Begin(network, 1, 1000, 0);
  network.Settle(0);
  // (2^50 · 1000) / (2^40 − 1), rounded up.
  EXPECT_EQ(network.EndOf(0), 1024001);
  EXPECT_EQ(network.EndOf(1), 1000 * 1000);
}

TEST(PortNetwork, LeavesChannelsWithoutAPortAlone) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 10, 0);
  Begin(network, 3, 123, 0);
  network.Settle(0);
  EXPECT_EQ(network.EndOf(3), 123);
}

TEST(PortNetwork, EndsAMessageWithoutBytesAtOnce) {
  PortNetwork network = TwoFastOneSlow();
  Begin(network, 0, 0, 3);
  EXPECT_EQ(network.EndOf(0), 3);
  network.End(0);
  Begin(network, 1, 10, 3);
  network.Settle(3);
  EXPECT_EQ(network.EndOf(1), 13);
}

}  // namespace
}  // namespace octopipe
