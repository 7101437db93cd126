// Files of old versions load for ever, with the same meaning.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/artifact/cluster_proto.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/profile_proto.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/artifact/schedule_proto.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

std::string Contents(const std::string& name) {
  auto contents = ReadFile(absl::StrCat("proto/testdata/v1/", name));
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.value_or("");
}

std::string Text(const std::vector<WorkItem>& program) {
  return absl::StrJoin(
      program, " ",
      [](std::string* out, const WorkItem& item) { AppendItem(item, out); });
}

TEST(Compatibility, Version1Profile) {
  v1::Profile proto;
  ASSERT_TRUE(
      ParseMessage(Contents("profile.textproto"), "profile", &proto).ok());
  auto profile = ProfileFromProto(proto);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->name, "hybrid");
  EXPECT_EQ(profile->tokens_per_micro_batch(), 4096);
  ASSERT_EQ(profile->layers.size(), 8u);
  EXPECT_EQ(profile->layers[0].name, "embed");
  EXPECT_EQ(profile->layers[3].name, "mamba.1");
  EXPECT_EQ(profile->layers[4].cost.times,
            (LayerTimes{1500000, 1500000, 1700000}));
  EXPECT_EQ(profile->layers[4].cost.memory.saved_b_bytes, 301989888);
  EXPECT_EQ(profile->layers[7].name, "head");
  EXPECT_EQ(profile->layers[6].output_grad_bytes, 33554432);
}

TEST(Compatibility, Version1Cluster) {
  v1::Cluster proto;
  ASSERT_TRUE(
      ParseMessage(Contents("cluster.textproto"), "cluster", &proto).ok());
  auto cluster = ClusterFromProto(proto);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  ASSERT_EQ(cluster->devices.size(), 2u);
  EXPECT_EQ(cluster->devices[1].memory_bytes, 85899345920);
  ASSERT_EQ(cluster->links.size(), 2u);
  EXPECT_EQ(cluster->links[1].from, 1);
  EXPECT_EQ(cluster->links[1].bytes_per_us, 200000);
}

TEST(Compatibility, Version1ClusterGroups) {
  v1::Cluster proto;
  ASSERT_TRUE(
      ParseMessage(Contents("cluster_groups.textproto"), "cluster", &proto)
          .ok());
  auto cluster = ClusterFromProto(proto);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->launch_overhead_ns, 5000);
  ASSERT_EQ(cluster->devices.size(), 24u);
  EXPECT_EQ(cluster->devices[15].name, "gpu15");
  EXPECT_EQ(cluster->devices[16].name, "old16");
  EXPECT_EQ(cluster->devices[16].speed_permille, 400);
  EXPECT_EQ(cluster->links.size(), 24u * 23u);
  EXPECT_EQ(cluster->links.back().latency_ns, 10000);
  EXPECT_EQ(cluster->links.back().port, "old23.intra");
}

TEST(Compatibility, Version1Schedule) {
  const std::string contents = Contents("schedule.textproto");
  auto artifact = DecodeSchedule(contents);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ(artifact->problem.name, "hybrid");
  EXPECT_EQ(artifact->problem.micro_batches, 4);
  EXPECT_EQ(artifact->plan.partition.begin, (std::vector<int>{0, 1, 5, 8}));
  EXPECT_EQ(artifact->plan.placement.device, (std::vector<int>{0, 1, 0}));
  ASSERT_EQ(artifact->plan.order.programs.size(), 2u);
  EXPECT_EQ(Text(artifact->plan.order.programs[0]),
            "F0.0 F0.1 F0.2 F0.3 F2.0 B2.0 F2.1 B2.1 W2.0 F2.2 B2.2 F2.3 B2.3 "
            "W2.1 W2.2 W2.3 BW0.0 BW0.1 BW0.2 BW0.3");
  EXPECT_EQ(Text(artifact->plan.order.programs[1]),
            "F1.0 F1.1 F1.2 F1.3 B1.0 W1.0 B1.1 W1.1 B1.2 W1.2 B1.3 W1.3");
  // Device 1 starts after the embedding (400,000 ns) and one hop of 33,554,432
  // bytes at 200,000 a µs, and then never waits: 4 · 13,200,000 ns.
  const Nanos hop = 167773 + 10000;
  EXPECT_EQ(artifact->timeline.start_ns[1][0], 400000 + hop);
  EXPECT_EQ(artifact->timeline.makespan_ns, 400000 + hop + 4 * 13200000);
  EXPECT_EQ(artifact->metrics.makespan_ns, artifact->timeline.makespan_ns);
  EXPECT_EQ(artifact->metrics.devices[0].busy_ns, 49200000);
  EXPECT_EQ(artifact->bounds[1].ns, 51200000);
  EXPECT_EQ(artifact->made_by.policy, "given");

  auto again = EncodeSchedule(*artifact, /*text=*/true);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, contents);
}

}  // namespace
}  // namespace octopipe
