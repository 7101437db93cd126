#include "compiler/bounds/packing.h"

#include <functional>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int64_t kPlenty = 1'000'000;

// `kinds` into `bins`, all by one path, by trying every assignment.
bool FitByTrial(const std::vector<ItemKind>& kinds,
                const std::vector<Bin>& bins) {
  std::vector<int> items;
  for (size_t k = 0; k < kinds.size(); ++k) {
    items.insert(items.end(), kinds[k].count, static_cast<int>(k));
  }
  for (size_t key = 0; key < bins.size(); ++key) {
    std::vector<std::vector<int64_t>> rooms;
    bool is_usable = true;
    for (size_t b = 0; b < bins.size(); ++b) {
      const BinRoom& room = b == key ? bins[b].room_with_key : bins[b].room;
      // A bin that cannot be used ends the path.
      is_usable = is_usable && (room || b > key);
      rooms.push_back(room.value_or(std::vector<int64_t>()));
    }
    if (!is_usable) continue;
    std::function<bool(size_t)> place = [&](size_t i) {
      if (i == items.size()) return true;
      for (size_t b = 0; b < bins.size(); ++b) {
        if (rooms[b].empty()) continue;
        const auto& needs = kinds[items[i]].needs[bins[b].type];
        const std::vector<int64_t> before = rooms[b];
        bool fits = true;
        for (size_t r = 0; r < needs.size(); ++r) {
          rooms[b][r] -= needs[r];
          fits = fits && rooms[b][r] >= 0;
        }
        if (fits && place(i + 1)) return true;
        rooms[b] = before;
      }
      return false;
    };
    if (place(0)) return true;
  }
  return false;
}

struct Instance {
  std::vector<ItemKind> kinds;
  std::vector<Bin> bins;
};

Instance MakeInstance(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int64_t bound) { return int64_t(random() % bound); };
  const int resources = 1 + below(3);
  const int types = 1 + below(2);
  auto vector = [&](int64_t bound) {
    std::vector<int64_t> v(resources);
    for (int64_t& x : v) x = below(bound);
    return v;
  };
  Instance instance;
  const int kinds = below(5);
  for (int k = 0; k < kinds; ++k) {
    ItemKind kind{int(below(4)), {}};
    for (int t = 0; t < types; ++t) kind.needs.push_back(vector(6));
    instance.kinds.push_back(kind);
  }
  const int bins = 1 + below(4);
  for (int b = 0; b < bins; ++b) {
    Bin bin{int(below(types)), vector(12), vector(12)};
    if (below(4) == 0) bin.room_with_key.reset();
    instance.bins.push_back(bin);
  }
  return instance;
}

BinChoices OnePath(const std::vector<Bin>& bins) {
  BinChoices choices;
  for (const Bin& bin : bins) {
    choices.steps.push_back({choices.nodes - 1, choices.nodes, bin});
    ++choices.nodes;
  }
  return choices;
}

TEST(FitIntoBins, AgreesWithEveryAssignment) {
  int fits = 0;
  constexpr int kRounds = 3000;
  for (int seed = 0; seed < kRounds; ++seed) {
    const Instance instance = MakeInstance(seed);
    int64_t budget = kPlenty;
    const Fit fit = FitIntoBins(instance.kinds, OnePath(instance.bins), budget);
    ASSERT_NE(fit, Fit::kTooMuchWork);
    ASSERT_EQ(fit == Fit::kFits, FitByTrial(instance.kinds, instance.bins))
        << "seed " << seed;
    fits += fit == Fit::kFits;
  }
  EXPECT_GT(fits, kRounds / 5);
  EXPECT_LT(fits, kRounds * 4 / 5);
}

TEST(FitIntoBins, TriesEveryPath) {
  // A bin of 3 or one of 5, then one of 2; 7 items. The key item takes nothing.
  const std::vector<ItemKind> kinds = {{7, {{1}}}};
  auto bin = [](int64_t room) {
    return Bin{0, std::vector<int64_t>{room}, std::vector<int64_t>{room}};
  };
  BinChoices bins;
  bins.nodes = 4;
  bins.steps = {{0, 1, bin(3)}, {0, 2, bin(5)}, {1, 3, bin(2)}, {2, 3, bin(2)}};
  int64_t budget = kPlenty;
  EXPECT_EQ(FitIntoBins(kinds, bins, budget), Fit::kFits);
  bins.steps[1].bin = bin(4);
  EXPECT_EQ(FitIntoBins(kinds, bins, budget), Fit::kDoesNotFit);
}

TEST(FitIntoBins, GivesUpAtItsBudget) {
  const std::vector<ItemKind> kinds = {{50, {{7, 3}}}, {50, {{3, 7}}}};
  std::vector<Bin> bins(
      10, Bin{0, std::vector<int64_t>{50, 50}, std::vector<int64_t>{50, 50}});
  int64_t budget = 100;
  EXPECT_EQ(FitIntoBins(kinds, OnePath(bins), budget), Fit::kTooMuchWork);
  budget = kPlenty;
  EXPECT_EQ(FitIntoBins(kinds, OnePath(bins), budget), Fit::kFits);
  EXPECT_LT(budget, kPlenty);
}

TEST(MergeKinds, JoinsWhatIsEqualAndDropsWhatIsNothing) {
  const auto kinds =
      MergeKinds({{1, {{2, 3}}}, {4, {{0, 0}}}, {2, {{2, 3}}}}, kPlenty);
  ASSERT_EQ(kinds.size(), 1);
  EXPECT_EQ(kinds[0].count, 3);
}

TEST(MergeKinds, LosesTheLeast) {
  // 100 and 101 become 100 each, rather than 50 and 101 50.
  const auto kinds = MergeKinds({{2, {{50}}}, {1, {{100}}}, {1, {{101}}}}, 3);
  ASSERT_EQ(kinds.size(), 2);
  EXPECT_EQ(kinds[0].needs[0][0], 50);
  EXPECT_EQ(kinds[1].needs[0][0], 100);
  EXPECT_EQ(kinds[1].count, 2);
}

TEST(MergeKinds, LosesNoPacking) {
  int merged_more = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    const Instance instance = MakeInstance(seed);
    if (!FitByTrial(instance.kinds, instance.bins)) continue;
    for (int64_t most : {1, 4, 12}) {
      const auto kinds = MergeKinds(instance.kinds, most);
      int64_t vectors = 1;
      for (size_t k = 1; k < kinds.size(); ++k) vectors *= 2;
      EXPECT_LE(vectors, most);
      int64_t budget = kPlenty;
      EXPECT_EQ(FitIntoBins(kinds, OnePath(instance.bins), budget), Fit::kFits)
          << "seed " << seed;
      merged_more += kinds.size() + 1 < instance.kinds.size();
    }
  }
  EXPECT_GT(merged_more, 100);
}

TEST(MergeKinds, HandlesManyDifferentKinds) {
  constexpr int kCount = 100001;
  std::mt19937_64 random(1);
  std::vector<ItemKind> kinds;
  int64_t total = 0;
  for (int i = 0; i < kCount; ++i) {
    const int64_t needs =
        (i % 3 + 1) * 10000 + random() % 100 * 10 + i / 300 % 10;
    kinds.push_back({1, {{needs}}});
    total += needs;
  }
  const auto merged = MergeKinds(kinds, 2'000'000'000);
  EXPECT_GE(merged.size(), 3);
  int64_t count = 0, left = 0;
  for (const ItemKind& kind : merged) {
    count += kind.count;
    left += kind.count * kind.needs[0][0];
  }
  EXPECT_EQ(count, kCount);
  EXPECT_LE(left, total);
  EXPECT_GT(left, total * 97 / 100);
}

}  // namespace
}  // namespace octopipe
