#include "compiler/base/bytes_text.h"

#include <limits>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(BytesText, UsesTheLargestUnit) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1024), "1 KiB");
  EXPECT_EQ(BytesText(1025), "1.0 KiB");
  EXPECT_EQ(BytesText(1024 + 512), "1.5 KiB");
  EXPECT_EQ(BytesText((int64_t{1} << 20) - 1), "1023.9 KiB");
  EXPECT_EQ(BytesText(int64_t{80} << 30), "80 GiB");
  EXPECT_EQ(BytesText((int64_t{80} << 30) + 1), "80.0 GiB");
  EXPECT_EQ(BytesText(std::numeric_limits<Bytes>::max()), "7.9 EiB");
}

}  // namespace
}  // namespace octopipe
