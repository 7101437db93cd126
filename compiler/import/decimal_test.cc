#include "compiler/import/decimal.h"

#include <cstdint>
#include <optional>

#include "compiler/base/units.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(ScaledDecimal, IsExactWhereADoubleIsNot) {
  EXPECT_EQ(ScaledDecimal("5.7739", 6), 5773900);
  EXPECT_EQ(ScaledDecimal("0.000001", 6), 1);
  EXPECT_EQ(ScaledDecimal("900719925474.099301", 6), 900719925474099301);
}

TEST(ScaledDecimal, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(ScaledDecimal("1.4", 0), 1);
  EXPECT_EQ(ScaledDecimal("1.5", 0), 2);
  EXPECT_EQ(ScaledDecimal("1.49999999999999999999", 0), 1);
  EXPECT_EQ(ScaledDecimal("0.5", 0), 1);
  EXPECT_EQ(ScaledDecimal("0.05", 0), 0);
  EXPECT_EQ(ScaledDecimal("-1.5", 0), -2);
  EXPECT_EQ(ScaledDecimal("9.5", 0), 10);
}

TEST(ScaledDecimal, ReadsExponents) {
  EXPECT_EQ(ScaledDecimal("1e6", 0), 1000000);
  EXPECT_EQ(ScaledDecimal("12.5E-1", 6), 1250000);
  EXPECT_EQ(ScaledDecimal("2e+3", 0), 2000);
  EXPECT_EQ(ScaledDecimal("1e-999999999999999999999", 6), 0);
  EXPECT_EQ(ScaledDecimal("0e999999999999999999999", 6), 0);
  EXPECT_EQ(ScaledDecimal("0.000e4", 0), 0);
  EXPECT_EQ(ScaledDecimal("1000000000e-9", 0), 1);
}

TEST(ScaledDecimal, StopsAtTheLargestTotal) {
  EXPECT_EQ(ScaledDecimal("1152921504606846976", 0), kMaxTotal);
  EXPECT_EQ(ScaledDecimal("1152921504606846977", 0), std::nullopt);
  EXPECT_EQ(ScaledDecimal("1152921504606846976.5", 0), std::nullopt);
  EXPECT_EQ(ScaledDecimal("1e19", 0), std::nullopt);
  EXPECT_EQ(ScaledDecimal("1e999999999999999999999", 0), std::nullopt);
}

TEST(ScaledDecimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN",
                           "Infinity", "1 ", " 1", "0x10", "1,5", "1.5.5"}) {
    EXPECT_EQ(ScaledDecimal(text, 0), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace octopipe
