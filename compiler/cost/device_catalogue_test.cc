#include "compiler/cost/device_catalogue.h"

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(MachineCatalogue, IsSortedByName) {
  const absl::Span<const Machine> machines = MachineCatalogue();
  for (size_t i = 1; i < machines.size(); ++i) {
    EXPECT_LT(machines[i - 1].name, machines[i].name);
  }
}

TEST(MachineCatalogue, StatesWhatTheDatasheetsState) {
  auto h100 = FindMachine("8xh100");
  ASSERT_TRUE(h100.ok()) << h100.status();
  EXPECT_EQ((*h100)->devices, 8);
  EXPECT_EQ((*h100)->memory_bytes, 80'000'000'000);
  // 900 GB/s in both directions together; 400 Gb/s.
  EXPECT_EQ((*h100)->intra_bytes_per_us * 2, 900'000);
  EXPECT_EQ((*h100)->inter_bytes_per_us * 8, 400'000);
  auto h800 = FindMachine("8xh800");
  ASSERT_TRUE(h800.ok()) << h800.status();
  EXPECT_EQ((*h800)->intra_bytes_per_us * 2, 400'000);
  auto a100 = FindMachine("8xa100");
  ASSERT_TRUE(a100.ok()) << a100.status();
  EXPECT_EQ((*a100)->intra_bytes_per_us * 2, 600'000);
  EXPECT_EQ((*a100)->inter_bytes_per_us * 8, 200'000);
}

TEST(MachineCatalogue, UnknownNameListsTheKnown) {
  EXPECT_EQ(FindMachine("8xh1000").status().message(),
            "no machine '8xh1000' in the catalogue; it has 8xa100, 8xb200, "
            "8xh100, 8xh200, 8xh800");
}

}  // namespace
}  // namespace octopipe
