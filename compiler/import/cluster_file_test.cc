#include "compiler/import/cluster_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(UniformCluster, JoinsEachWithEach) {
  auto cluster = UniformCluster(3, 80, 7, 9);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  ASSERT_EQ(cluster->devices.size(), 3u);
  EXPECT_EQ(cluster->devices[2].name, "gpu2");
  EXPECT_EQ(cluster->devices[2].memory_bytes, 80);
  EXPECT_EQ(cluster->devices[2].speed_permille, 1000);
  ASSERT_EQ(cluster->links.size(), 6u);
  for (const Link& link : cluster->links) {
    EXPECT_NE(link.from, link.to);
    EXPECT_EQ(link.latency_ns, 7);
    EXPECT_EQ(link.bytes_per_us, 9);
    EXPECT_EQ(link.port, "");
  }
}

TEST(UniformCluster, FreeHopsNeedNoLinks) {
  auto cluster = UniformCluster(4, 0, 0, 0);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_TRUE(cluster->links.empty());
  cluster = UniformCluster(4, 0, 1, 0);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->links.size(), 12u);
}

TEST(UniformCluster, RefusesNumbersOutOfRange) {
  EXPECT_EQ(UniformCluster(0, 0, 0, 0).status().message(),
            "devices: expected 1 to 2048, got 0");
  EXPECT_THAT(std::string(UniformCluster(1, -1, 0, 0).status().message()),
              StartsWith("memory_bytes: expected 0 to"));
  EXPECT_FALSE(UniformCluster(1, 0, -1, 0).ok());
  EXPECT_FALSE(UniformCluster(1, 0, 0, -1).ok());
}

TEST(CatalogueCluster, IsTheGroupOfThatMachine) {
  auto cluster = CatalogueCluster("8xh100", 64);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->devices.size(), 512u);
  EXPECT_EQ(cluster->links.size(), 512u * 511u);
  EXPECT_FALSE(CatalogueCluster("8xh100", 257).ok());
  EXPECT_EQ(CatalogueCluster("dgx", 1).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ImportCluster, ErrorsBeginWithTheFile) {
  auto message = [](const std::string& contents) {
    return std::string(ImportCluster("c", contents).status().message());
  };
  EXPECT_THAT(message("format_version: 1\ngroups { nodes: x }"),
              StartsWith("c: 2:17: "));
  EXPECT_EQ(message("format_version: 1"),
            "c: expected devices or groups, got neither");
  EXPECT_THAT(message("{}"), HasSubstr("got JSON"));
}

}  // namespace
}  // namespace octopipe
