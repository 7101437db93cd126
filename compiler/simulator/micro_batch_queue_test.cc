#include "compiler/simulator/micro_batch_queue.h"

#include <random>
#include <set>

#include "gtest/gtest.h"

namespace octopipe {
namespace {

TEST(MicroBatchQueue, GivesTheOldestWhateverTheOrderOfArrival) {
  std::mt19937_64 random(1);
  MicroBatchQueue queue;
  std::set<int32_t> expected;
  int32_t next = 0;
  for (int step = 0; step < 20000; ++step) {
    if (!expected.empty() && random() % 2 == 0) {
      ASSERT_EQ(queue.Oldest(), *expected.begin());
      queue.PopOldest();
      expected.erase(expected.begin());
    } else {
      // Mostly ascending.
      next += 1 + random() % 3;
      const int32_t number = random() % 4 == 0
                                 ? static_cast<int32_t>(random() % (next + 1))
                                 : next;
      if (expected.insert(number).second) queue.Push(number);
    }
    ASSERT_EQ(queue.IsEmpty(), expected.empty());
  }
}

}  // namespace
}  // namespace octopipe
