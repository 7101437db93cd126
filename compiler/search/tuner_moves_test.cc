// What every move of the tuner keeps to, whatever it draws.

#include <algorithm>
#include <random>
#include <vector>

#include "compiler/schedule/random_problem.h"
#include "compiler/search/order_moves.h"
#include "compiler/search/partition_moves.h"
#include "compiler/search/placement_moves.h"
#include "compiler/search/stage_edits.h"
#include "compiler/search/tuner_state.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int kTries = 20000;

struct Shape {
  int layers = 0;
  int devices = 0;
  int micro_batches = 0;
};

// Each stage's values tell it apart, so that a mix-up shows.
TunerState RandomState(const Shape& shape, std::mt19937_64& random) {
  Problem problem;
  problem.layers.resize(shape.layers);
  TunerState state;
  const int stages = static_cast<int>(Uniform(random, 1, shape.layers));
  state.partition = RandomPartition(problem, stages, random);
  state.placement =
      RandomPlacement(PlacementShape::kAny, stages, shape.devices, random);
  for (int s = 0; s < stages; ++s) {
    state.split.push_back(Uniform(random, 0, 1));
    for (int t = 0; t < 3; ++t) state.weights.task_ns.push_back(100 * s + t);
  }
  if (Uniform(random, 0, 1) == 0) {
    for (int s = 0; s < stages; ++s) state.windows.push_back(s + 1);
  }
  if (Uniform(random, 0, 1) == 0) {
    for (int i = 0; i < 3 * stages * shape.micro_batches; ++i) {
      state.keys.push_back(1000 + i);
    }
  }
  return state;
}

Shape RandomShape(std::mt19937_64& random) {
  return {static_cast<int>(Uniform(random, 1, 10)),
          static_cast<int>(Uniform(random, 1, 4)),
          static_cast<int>(Uniform(random, 1, 4))};
}

bool Same(const TunerState& a, const TunerState& b) {
  const PriorityWeights& v = a.weights;
  const PriorityWeights& w = b.weights;
  return a.partition == b.partition && a.placement == b.placement &&
         a.split == b.split && a.keys == b.keys && a.exact == b.exact &&
         a.windows == b.windows && a.memory_permille == b.memory_permille &&
         v.kind_ns == w.kind_ns && v.stage_ns == w.stage_ns &&
         v.micro_batch_ns == w.micro_batch_ns &&
         v.tail_permille == w.tail_permille && v.task_ns == w.task_ns &&
         v.patience_ns == w.patience_ns;
}

void ExpectConsistent(const Shape& shape, const TunerState& state) {
  const std::vector<int>& begin = state.partition.begin;
  ASSERT_GE(begin.size(), 2u);
  EXPECT_EQ(begin.front(), 0);
  EXPECT_EQ(begin.back(), shape.layers);
  EXPECT_TRUE(std::is_sorted(begin.begin(), begin.end(), [](int a, int b) {
    return a <= b;
  })) << "a stage is empty";
  const size_t stages = begin.size() - 1;
  ASSERT_EQ(state.placement.device.size(), stages);
  for (int device : state.placement.device) {
    EXPECT_GE(device, 0);
    EXPECT_LT(device, shape.devices);
  }
  EXPECT_EQ(state.split.size(), stages);
  EXPECT_EQ(state.weights.task_ns.size(), 3 * stages);
  if (!state.windows.empty()) {
    EXPECT_EQ(state.windows.size(), stages);
  }
  if (!state.keys.empty()) {
    EXPECT_EQ(state.keys.size(), 3 * stages * shape.micro_batches);
  }
}

// A stage's weights, window and keys are still those of one stage of before,
// and stages stand in the order of before.
void ExpectStagesWhole(const Shape& shape, const TunerState& state) {
  int before = 0;
  for (int s = 0; s < state.partition.stages(); ++s) {
    const int64_t was = state.weights.task_ns[3 * s] / 100;
    EXPECT_GE(was, before);
    before = static_cast<int>(was);
    for (int t = 0; t < 3; ++t) {
      EXPECT_EQ(state.weights.task_ns[3 * s + t], 100 * was + t);
    }
    if (!state.windows.empty()) {
      EXPECT_EQ(state.windows[s], was + 1);
    }
    if (state.keys.empty()) continue;
    const int size = 3 * shape.micro_batches;
    for (int i = 0; i < size; ++i) {
      EXPECT_EQ(state.keys[s * size + i], 1000 + was * size + i);
    }
  }
}

TEST(StageEditsTest, TheStageThatIsKeptKeepsItsOwn) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = RandomShape(random);
    const TunerState before = RandomState(shape, random);
    const int stages = before.partition.stages();
    if (stages < 2) continue;
    const int s = static_cast<int>(Uniform(random, 0, stages - 2));
    const int kept = s + static_cast<int>(Uniform(random, 0, 1));
    TunerState state = before;
    JoinStagesAt(s, kept, shape.micro_batches, &state);
    ExpectConsistent(shape, state);
    ExpectStagesWhole(shape, state);
    EXPECT_EQ(state.placement.device[s], before.placement.device[kept]);
    EXPECT_EQ(state.split[s], before.split[kept]);
    EXPECT_EQ(state.weights.task_ns[3 * s], 100 * kept);

    // Cut again where it was: both halves are as the one that was kept.
    CutStageAt(s, before.partition.begin[s + 1], shape.micro_batches, &state);
    ExpectConsistent(shape, state);
    ExpectStagesWhole(shape, state);
    EXPECT_TRUE(state.partition == before.partition);
    for (int half : {s, s + 1}) {
      EXPECT_EQ(state.placement.device[half], before.placement.device[kept]);
      EXPECT_EQ(state.weights.task_ns[3 * half], 100 * kept);
    }
  }
}

TEST(PartitionMovesTest, KeepTheStateWhole) {
  std::mt19937_64 random(1);
  int moved = 0, cut = 0, joined = 0;
  for (int i = 0; i < kTries && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = RandomShape(random);
    const TunerState before = RandomState(shape, random);
    const int stages = before.partition.stages();
    const int most =
        stages + static_cast<int>(Uniform(random, 0, shape.layers - stages));
    TunerState state = before;
    if (!MovePartition(shape.devices, most, shape.micro_batches, random,
                       &state)) {
      EXPECT_TRUE(Same(state, before));
      continue;
    }
    ++moved;
    ExpectConsistent(shape, state);
    ExpectStagesWhole(shape, state);
    EXPECT_FALSE(state.partition == before.partition);
    EXPECT_LE(state.partition.stages(), most);
    cut += state.partition.stages() > stages;
    joined += state.partition.stages() < stages;
  }
  EXPECT_GT(moved, kTries / 10);
  EXPECT_GT(cut, 100);
  EXPECT_GT(joined, 100);
}

TEST(PlacementMovesTest, ChangeThePlacementAlone) {
  std::mt19937_64 random(2);
  int moved = 0, changed = 0;
  for (int i = 0; i < kTries && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = RandomShape(random);
    const TunerState before = RandomState(shape, random);
    TunerState state = before;
    const bool applies = MovePlacement(shape.devices, random, &state);
    if (!applies) {
      EXPECT_TRUE(Same(state, before));
    }
    ExpectConsistent(shape, state);
    moved += applies;
    changed += !(state.placement == before.placement);
    state.placement = before.placement;
    EXPECT_TRUE(Same(state, before));
  }
  EXPECT_GT(changed, kTries / 4);
  // To turn round what reads the same both ways is the exception.
  EXPECT_GT(changed, moved * 9 / 10);
}

TEST(OrderMovesTest, WeightsKeepTheLayout) {
  std::mt19937_64 random(3);
  for (int i = 0; i < kTries && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = RandomShape(random);
    const TunerState before = RandomState(shape, random);
    TunerState state = before;
    MoveWeights(Uniform(random, 0, 1) == 0, shape.micro_batches,
                Uniform(random, 0, 1000), random, &state);
    ExpectConsistent(shape, state);
    EXPECT_TRUE(state.keys.empty());
    EXPECT_TRUE(state.partition == before.partition);
    EXPECT_TRUE(state.placement == before.placement);
    EXPECT_GT(state.memory_permille, 0);
    EXPECT_LE(state.memory_permille, 1000);
    EXPECT_GE(state.weights.patience_ns, 0);
  }
}

TEST(OrderMovesTest, ItemsKeepAllButTheKeys) {
  std::mt19937_64 random(4);
  int disturbed = 0;
  for (int i = 0; i < kTries && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const Shape shape = RandomShape(random);
    const TunerState before = RandomState(shape, random);
    const size_t items =
        3 * before.placement.device.size() * shape.micro_batches;
    std::vector<Nanos> starts(items), latest(items);
    for (size_t n = 0; n < items; ++n) {
      starts[n] = Uniform(random, 0, 500);
      latest[n] = starts[n] + Uniform(random, 0, 1) * Uniform(random, 0, 90);
    }
    TunerState state = before;
    MoveItems({starts, latest, 600}, shape.micro_batches, random, &state);
    ExpectConsistent(shape, state);
    ASSERT_EQ(state.keys.size(), items);
    // Earliest, latest, or between, but for some.
    int outside = 0;
    for (size_t n = 0; n < items; ++n) {
      outside += state.keys[n] < starts[n] || state.keys[n] > latest[n];
    }
    disturbed += outside > 0;
    state.keys = before.keys;
    state.exact = before.exact;
    EXPECT_TRUE(Same(state, before));
  }
  EXPECT_GT(disturbed, kTries / 2);
}

}  // namespace
}  // namespace octopipe
