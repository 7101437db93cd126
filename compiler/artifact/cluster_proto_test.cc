#include "compiler/artifact/cluster_proto.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/artifact/proto_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Cluster> Read(const std::string& text) {
  v1::Cluster proto;
  const absl::Status parsed =
      ParseMessage("format_version: 1 " + text, "cluster", &proto);
  if (!parsed.ok()) return parsed;
  return ClusterFromProto(proto);
}

std::string ErrorOf(const std::string& text) {
  return std::string(Read(text).status().message());
}

const Link* Find(const Cluster& cluster, int from, int to) {
  for (const Link& link : cluster.links) {
    if (link.from == from && link.to == to) return &link;
  }
  return nullptr;
}

bool SameLink(const Link& a, const Link& b) {
  return a.from == b.from && a.to == b.to && a.latency_ns == b.latency_ns &&
         a.bytes_per_us == b.bytes_per_us && a.port == b.port;
}

TEST(ClusterFromProto, ReadsDevicesAndLinksByName) {
  auto cluster = Read(R"(
    name: "pair" launch_overhead_ns: 5000
    devices { name: "a" kind: "h100" memory_bytes: 80 }
    devices { name: "b" speed_permille: 500 }
    links { from: "b" to: "a" latency_ns: 3 bytes_per_us: 4 port: "p" })");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->name, "pair");
  EXPECT_EQ(cluster->launch_overhead_ns, 5000);
  EXPECT_EQ(cluster->devices[0].kind, "h100");
  EXPECT_EQ(cluster->devices[0].speed_permille, 1000);
  EXPECT_EQ(cluster->devices[1].speed_permille, 500);
  ASSERT_EQ(cluster->links.size(), 1u);
  EXPECT_TRUE(SameLink(cluster->links[0], {1, 0, 3, 4, "p"}));
}

TEST(ClusterFromProto, ExpandsTheCatalogue) {
  auto cluster = Read(R"(groups { catalogue: "8xh100" nodes: 2 })");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  ASSERT_EQ(cluster->devices.size(), 16u);
  EXPECT_EQ(cluster->devices[15].name, "gpu15");
  EXPECT_EQ(cluster->devices[15].memory_bytes, 80'000'000'000);
  ASSERT_EQ(cluster->links.size(), 16u * 15u);
  // 900 GB/s NVLink, both directions; 400 Gb/s network.
  EXPECT_TRUE(
      SameLink(*Find(*cluster, 0, 7), {0, 7, 10'000, 450'000, "gpu0.intra"}));
  EXPECT_TRUE(
      SameLink(*Find(*cluster, 7, 8), {7, 8, 20'000, 50'000, "gpu7.inter"}));
  EXPECT_TRUE(std::is_sorted(cluster->links.begin(), cluster->links.end(),
                             [](const Link& a, const Link& b) {
                               return std::pair(a.from, a.to) <
                                      std::pair(b.from, b.to);
                             }));
}

TEST(ClusterFromProto, GroupOverridesTheCatalogue) {
  auto cluster = Read(R"(
    groups { catalogue: "8xh800" devices_per_node: 2 memory_bytes: 5
             kind: "mine" prefix: "d" speed_permille: 900
             intra_node { latency_ns: 1 bytes_per_us: 2 } })");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  ASSERT_EQ(cluster->devices.size(), 2u);
  EXPECT_EQ(cluster->devices[1].name, "d1");
  EXPECT_EQ(cluster->devices[1].kind, "mine");
  EXPECT_EQ(cluster->devices[1].memory_bytes, 5);
  EXPECT_EQ(cluster->devices[1].speed_permille, 900);
  EXPECT_TRUE(SameLink(*Find(*cluster, 1, 0), {1, 0, 1, 2, ""}));
}

TEST(ClusterFromProto, BetweenGroupsTheSlowerCounts) {
  const std::string groups = R"(
    groups { nodes: 1 inter_node { latency_ns: 5 bytes_per_us: 50 } }
    groups { nodes: 1 inter_node { latency_ns: 9 bytes_per_us: 90 } }
    groups { nodes: 1 inter_node { latency_ns: 1 bytes_per_us: 0 } }
    groups { nodes: 1 })";
  auto cluster = Read(groups);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->devices[3].name, "gpu3");
  EXPECT_TRUE(SameLink(*Find(*cluster, 0, 1), {0, 1, 9, 50, ""}));
  EXPECT_TRUE(SameLink(*Find(*cluster, 2, 1), {2, 1, 9, 90, ""}));
  EXPECT_TRUE(SameLink(*Find(*cluster, 3, 0), {3, 0, 5, 50, ""}));
  cluster = Read(groups + "inter_node { latency_ns: 7 bytes_per_us: 8 }");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_TRUE(SameLink(*Find(*cluster, 3, 0), {3, 0, 7, 8, ""}));
}

TEST(ClusterFromProto, NamedLinksReplaceThoseOfGroups) {
  auto cluster = Read(R"(
    devices { name: "single" }
    groups { devices_per_node: 2 intra_node { latency_ns: 5 } }
    links { from: "gpu0" to: "gpu1" latency_ns: 6 }
    links { from: "single" to: "gpu1" latency_ns: 7 })");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  ASSERT_EQ(cluster->links.size(), 3u);
  EXPECT_EQ(Find(*cluster, 0, 2)->latency_ns, 7);
  EXPECT_EQ(Find(*cluster, 1, 2)->latency_ns, 6);
  EXPECT_EQ(Find(*cluster, 2, 1)->latency_ns, 5);
}

TEST(ClusterFromProto, ErrorsNameThePath) {
  EXPECT_THAT(ErrorOf(R"(groups { catalogue: "dgx" })"),
              HasSubstr("groups[0].catalogue: no machine 'dgx'"));
  EXPECT_THAT(ErrorOf("groups { nodes: -1 }"), HasSubstr("groups[0].nodes"));
  EXPECT_THAT(
      ErrorOf("groups { nodes: 2147483647 devices_per_node: 2147483647 }"),
      HasSubstr("at most 2048"));
  EXPECT_THAT(ErrorOf("groups { intra_node { latency_ns: -1 } }"),
              HasSubstr("groups[0].intra_node.latency_ns"));
  EXPECT_THAT(ErrorOf("inter_node { latency_ns: -1 } groups {}"),
              HasSubstr("inter_node.latency_ns: expected 0 to"));
  EXPECT_THAT(ErrorOf(R"(devices { name: "a" memory_bytes: -1 })"),
              HasSubstr("devices[0].memory_bytes"));
  EXPECT_THAT(ErrorOf(R"(devices { name: "a" speed_permille: 0 })"),
              HasSubstr("devices[0].speed_permille: expected 1 to"));
  EXPECT_THAT(ErrorOf(R"(devices { name: "gpu0" } groups {})"),
              HasSubstr("'gpu0' stands twice"));
  EXPECT_THAT(ErrorOf("devices {}"), HasSubstr("expected a name"));
  const std::string pair = R"(devices { name: "a" } devices { name: "b" })";
  EXPECT_EQ(ErrorOf(pair + R"(links { from: "a" to: "c" })"),
            "links[0].to: no device is named 'c'");
  EXPECT_THAT(ErrorOf(pair + R"(links { from: "a" to: "a" })"),
              HasSubstr("expected two devices"));
  EXPECT_EQ(ErrorOf(pair + R"(links { from: "a" to: "b" }
                              links { from: "a" to: "b" })"),
            "links: two from 'a' to 'b', at most one is allowed");
  EXPECT_THAT(ErrorOf(pair + R"(links { from: "a" to: "b" bytes_per_us: -1 })"),
              HasSubstr("links[0].bytes_per_us"));
}

TEST(ClusterFromProto, ChecksTheLinkTable) {
  const std::string start =
      R"(devices { name: "a" } devices { name: "b" } link_table { )"
      "classes { latency_ns: 1 bytes_per_us: 2 } ";
  auto cluster = Read(start + "from: 0 to: 1 class_of: 0 }");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_TRUE(SameLink(cluster->links[0], {0, 1, 1, 2, ""}));
  for (const char* bad :
       {"from: 0 }", "from: 0 to: 1 }", "from: 0 to: 2 class_of: 0 }",
        "from: -1 to: 1 class_of: 0 }", "from: 0 to: 1 class_of: 1 }",
        "from: 0 to: 1 class_of: -1 }", "from: 0 to: 0 class_of: 0 }",
        "from: 0 to: 1 class_of: 0 port_of: 1 }",
        "from: 0 to: 1 class_of: 0 port_of: [0, 0] }",
        "from: [0, 0] to: [1, 1] class_of: [0, 0] }",
        "from: 0 to: 1 class_of: 0 } groups { prefix: \"x\" }",
        "from: 0 to: 1 class_of: 0 } links { from: \"a\" to: \"b\" }"}) {
    EXPECT_FALSE(Read(start + bad).ok()) << bad;
  }
}

TEST(ClusterToProto, IsLossless) {
  auto cluster = Read(R"(
    name: "n" launch_overhead_ns: 3
    devices { name: "x" memory_bytes: 1 speed_permille: 7 }
    groups { catalogue: "8xa100" nodes: 2 }
    links { from: "x" to: "gpu3" latency_ns: 1 port: "gpu3.inter" })");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  auto proto = ClusterToProto(*cluster);
  ASSERT_TRUE(proto.ok()) << proto.status();
  auto again = ClusterFromProto(*proto);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->name, "n");
  EXPECT_EQ(again->launch_overhead_ns, 3);
  ASSERT_EQ(again->devices.size(), cluster->devices.size());
  for (size_t d = 0; d < again->devices.size(); ++d) {
    EXPECT_EQ(again->devices[d].name, cluster->devices[d].name);
    EXPECT_EQ(again->devices[d].kind, cluster->devices[d].kind);
    EXPECT_EQ(again->devices[d].memory_bytes, cluster->devices[d].memory_bytes);
    EXPECT_EQ(again->devices[d].speed_permille,
              cluster->devices[d].speed_permille);
  }
  EXPECT_TRUE(std::equal(again->links.begin(), again->links.end(),
                         cluster->links.begin(), cluster->links.end(),
                         SameLink));
  EXPECT_EQ(CanonicalBytes(*ClusterToProto(*again)), CanonicalBytes(*proto));
}

TEST(ClusterToProto, RefusesNamesThatAreNotUtf8) {
  Cluster cluster;
  cluster.devices.resize(1);
  cluster.devices[0].name = "\xff";
  EXPECT_EQ(ClusterToProto(cluster).status().message(),
            "device name '\\xff' is not valid UTF-8; rename it");
}

}  // namespace
}  // namespace octopipe
