#include "compiler/search/move_selector.h"

#include <array>
#include <random>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int kDraws = 10000;
constexpr MoveKind kKinds[] = {MoveKind::kPartition, MoveKind::kPlacement,
                               MoveKind::kOrder};

std::array<int, kNumMoveKinds> Count(const MoveSelector& selector) {
  std::mt19937_64 random(1);
  std::array<int, kNumMoveKinds> counts = {};
  for (int i = 0; i < kDraws; ++i) {
    ++counts[static_cast<int>(selector.Draw(random))];
  }
  return counts;
}

int Share(const MoveSelector& selector, MoveKind kind) {
  return Count(selector)[static_cast<int>(kind)];
}

// All idle time asks for `kind`.
IdleTime IdleFor(MoveKind kind) {
  IdleTime idle;
  (kind == MoveKind::kPartition   ? idle.imbalance_ns
   : kind == MoveKind::kPlacement ? idle.ends_ns
                                  : idle.inner_ns) = 1'000'000'000'000;
  return idle;
}

TEST(MoveSelectorTest, DrawsWhatIsAllowed) {
  for (int mask = 1; mask < 1 << kNumMoveKinds; ++mask) {
    TunerOptions options;
    options.partition = mask & 1;
    options.placement = mask & 2;
    options.order = mask & 4;
    MoveSelector selector(options);
    for (MoveKind asked : kKinds) {
      selector.SetIdleTime(IdleFor(asked));
      const auto counts = Count(selector);
      for (int k = 0; k < kNumMoveKinds; ++k) {
        EXPECT_EQ(counts[k] > 0, (mask >> k & 1) != 0) << mask << " " << k;
      }
    }
  }
}

TEST(MoveSelectorTest, FollowsTheIdleTime) {
  MoveSelector selector{TunerOptions()};
  for (MoveKind asked : kKinds) {
    selector.SetIdleTime(IdleFor(asked));
    EXPECT_GT(Share(selector, asked), kDraws / 2) << MoveKindName(asked);
  }
}

TEST(MoveSelectorTest, WhatFindsNothingGivesWayAndIsTriedAgain) {
  for (MoveKind loser : kKinds) {
    SCOPED_TRACE(MoveKindName(loser));
    MoveSelector selector{TunerOptions()};
    selector.SetIdleTime(IdleFor(loser));
    const int before = Share(selector, loser);
    for (int i = 0; i < 100'000; ++i) selector.Report(loser, false);
    const int after = Share(selector, loser);
    // A third less at least, for the others.
    EXPECT_LT(3 * after, 2 * before);
    EXPECT_GT(after, kDraws / 100);
    for (int i = 0; i < 10; ++i) selector.Report(loser, true);
    EXPECT_EQ(Share(selector, loser), before);
  }
}

TEST(MoveSelectorTest, NoneStarves) {
  // The worst for one kind: it finds nothing, the others gain all the time, and
  // the idle time asks for another.
  for (MoveKind starved : kKinds) {
    for (MoveKind asked : kKinds) {
      if (asked == starved) continue;
      SCOPED_TRACE(MoveKindName(starved));
      MoveSelector selector{TunerOptions()};
      selector.SetIdleTime(IdleFor(asked));
      for (int i = 0; i < 100'000; ++i) {
        for (MoveKind kind : kKinds) selector.Report(kind, kind != starved);
      }
      EXPECT_GT(Share(selector, starved), kDraws / 100);
    }
  }
}

TEST(MoveSelectorTest, WithoutIdleTimeAllIsAsBefore) {
  MoveSelector selector{TunerOptions()};
  selector.SetIdleTime(IdleFor(MoveKind::kPlacement));
  const auto before = Count(selector);
  selector.SetIdleTime({});
  EXPECT_EQ(Count(selector), before);
}

}  // namespace
}  // namespace octopipe
