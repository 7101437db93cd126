// Random plans: what the insertion makes passes the proof and runs to its end
// under any timing, and it fails only where it must.

#include <cstdio>
#include <random>
#include <string>

#include "compiler/transfers/adversarial_executor.h"
#include "compiler/transfers/deadlock_proof.h"
#include "compiler/transfers/insert_transfers.h"
#include "compiler/transfers/random_transfers.h"
#include "compiler/transfers/read_transfers.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int kPlans = 10000;

TEST(RandomPlans, PassTheProofAndRunToTheEnd) {
  int inserted = 0, deferred = 0, grouped = 0, too_few_slots = 0, no_room = 0;
  for (int seed = 0; inserted < kPlans; ++seed) {
    std::mt19937_64 random(seed);
    const TransferCase sample = RandomTransferCase(random);
    const auto plan =
        InsertTransfers(sample.table, sample.order, sample.options);
    if (!plan.ok()) {
      if (RuleOf(plan.status()) == Rule::kSlotsTooFew) {
        ASSERT_GT(MostReadsOverOneChannel(sample), sample.options.slots)
            << "seed " << seed << ": " << plan.status();
        ++too_few_slots;
      } else {
        ASSERT_EQ(RuleOf(plan.status()), Rule::kMemoryExceeded)
            << "seed " << seed << ": " << plan.status();
        ASSERT_FALSE(HasRoomForReads(sample)) << "seed " << seed;
        ++no_room;
      }
      continue;
    }
    ++inserted;
    deferred += CountDeferredSends(*plan) > 0;
    for (const auto& program : plan->programs) {
      for (const ProgramItem& item : program) grouped += item.group >= 0;
    }
    ASSERT_EQ(Describe(ProveTransfers(sample.table, sample.order, *plan)), "")
        << "seed " << seed << "\n"
        << Describe(*plan);
    ASSERT_EQ(WithoutTransfers(*plan), sample.order) << "seed " << seed;
    ASSERT_EQ(ReadTransfers(sample.table, ItemsOf(*plan), sample.options),
              *plan)
        << "seed " << seed;
    const auto kind = static_cast<ExecutorKind>(seed % 3);
    const ExecutionResult result =
        ExecuteAdversarially(sample.table, *plan, kind, random);
    ASSERT_TRUE(result.ends && !result.overwrites)
        << "seed " << seed << (result.hangs ? " hangs " : " fails ")
        << result.error << "\n"
        << Describe(*plan);
  }
  std::printf(
      "%d plans proven and run, of which %d with deferred sends; %d items in "
      "groups; refused: %d for slots, %d for memory\n",
      inserted, deferred, grouped, too_few_slots, no_room);
  EXPECT_GT(deferred, kPlans / 100);
  EXPECT_GT(grouped, kPlans / 100);
}

// With sends right behind their producers the slots that the error asks for
// suffice, and one less do not.
TEST(RandomPlans, AskForTheSlotsThatSuffice) {
  int refused = 0;
  for (int seed = 0; refused < 300; ++seed) {
    std::mt19937_64 random(seed);
    TransferCase sample = RandomTransferCase(random);
    for (Bytes& bytes : sample.table.memory_bytes) bytes = 0;
    sample.options.slots = 1;
    sample.options.defer_sends = false;
    const auto plan =
        InsertTransfers(sample.table, sample.order, sample.options);
    if (plan.ok()) {
      ASSERT_EQ(CountDeferredSends(*plan), 0);
      continue;
    }
    ++refused;
    int slots = 2;
    for (;; ++slots) {
      sample.options.slots = slots;
      const auto more =
          InsertTransfers(sample.table, sample.order, sample.options);
      if (!more.ok()) continue;
      ASSERT_EQ(Describe(ProveTransfers(sample.table, sample.order, *more)), "")
          << "seed " << seed;
      break;
    }
    ASSERT_NE(
        std::string(plan.status().message())
            .find("; " + std::to_string(slots) + " slots a channel suffice"),
        std::string::npos)
        << "seed " << seed << ": " << plan.status();
  }
}

}  // namespace
}  // namespace octopipe
