#include "compiler/base/quantity_text.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(QuantityText, SeparatesThousands) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(-1234567), "-1,234,567");
  EXPECT_EQ(CountText(-123), "-123");
}

TEST(QuantityText, ShowsMillisecondsToTheMicrosecond) {
  EXPECT_EQ(NanosText(0), "0.000 ms");
  EXPECT_EQ(NanosText(499), "0.000 ms");
  EXPECT_EQ(NanosText(500), "0.001 ms");
  EXPECT_EQ(NanosText(999'999'500), "1,000.000 ms");
  EXPECT_EQ(NanosText(1'331'210'000), "1,331.210 ms");
  EXPECT_EQ(NanosText(-1'500'000), "-1.500 ms");
  EXPECT_EQ(NanosText(std::numeric_limits<int64_t>::min()),
            "-9,223,372,036,854.776 ms");
}

TEST(QuantityText, ChoosesTheUnit) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1024), "1 KiB");
  EXPECT_EQ(BytesText(85899345920), "80 GiB");
  EXPECT_EQ(BytesText(97924415488), "91.1 GiB");
  EXPECT_EQ(BytesText(std::numeric_limits<int64_t>::max()), "7.9 EiB");
}

TEST(QuantityText, ShowsPercent) {
  EXPECT_EQ(PercentText(45, 1000), "4.5 %");
  EXPECT_EQ(PercentText(1, 0), "-");
}

}  // namespace
}  // namespace octopipe
