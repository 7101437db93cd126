#include "compiler/bounds/reachable_sums.h"

#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(ReachableSums, EqualsEverySubset) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Nanos> durations(random() % 10);
    const int kinds = 1 + random() % 5;
    for (Nanos& duration : durations) duration = random() % kinds * 7;
    std::set<Nanos> subsets = {0};
    for (Nanos duration : durations) {
      const std::set<Nanos> before = subsets;
      for (Nanos sum : before) subsets.insert(sum + duration);
    }
    const auto sums = ReachableSums::Of(durations);
    ASSERT_TRUE(sums.has_value());
    ASSERT_EQ(sums->total(), *subsets.rbegin());
    for (Nanos limit = 0; limit <= sums->total() + 2; ++limit) {
      EXPECT_EQ(sums->AtMost(limit), *--subsets.upper_bound(limit));
      if (limit <= sums->total()) {
        EXPECT_EQ(sums->AtLeast(limit), *subsets.lower_bound(limit));
      }
    }
  }
}

TEST(ReachableSums, HandlesManyLayersOfFewKinds) {
  std::vector<Nanos> durations(1000, 3000001);
  durations.insert(durations.end(), 1000, 5000003);
  const auto sums = ReachableSums::Of(durations);
  ASSERT_TRUE(sums.has_value());
  EXPECT_EQ(sums->AtMost(8000004), 8000004);
  EXPECT_EQ(sums->AtMost(8000003), 6000002);
}

TEST(ReachableSums, RefusesTooMany) {
  std::vector<Nanos> durations;
  for (int i = 0; i < 34; ++i) durations.push_back(Nanos{1} << i);
  EXPECT_FALSE(ReachableSums::Of(durations).has_value());
}

}  // namespace
}  // namespace octopipe
