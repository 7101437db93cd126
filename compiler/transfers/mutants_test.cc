// Proven plans by seed, each spoilt in one way. The proof either names the
// reason, or the mutant is as good: it runs to its end under any timing and
// overwrites nothing. What the proof calls a deadlock or an overwritten slot
// does happen.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/random_problem.h"
#include "compiler/transfers/adversarial_executor.h"
#include "compiler/transfers/deadlock_proof.h"
#include "compiler/transfers/insert_transfers.h"
#include "compiler/transfers/random_transfers.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int kMutantsOfAKind = 500;

using Program = std::vector<ProgramItem>;
using Random = std::mt19937_64;

struct Place {
  int device = -1;
  int item = -1;

  explicit operator bool() const { return device >= 0; }
};

// A random item of which `is_wanted` holds, or none.
template <typename Wanted>
Place Pick(const TransferPlan& plan, Random& random, const Wanted& is_wanted) {
  std::vector<Place> places;
  for (size_t d = 0; d < plan.programs.size(); ++d) {
    for (size_t i = 0; i < plan.programs[d].size(); ++i) {
      if (!is_wanted(plan.programs[d][i].work)) continue;
      places.push_back({static_cast<int>(d), static_cast<int>(i)});
    }
  }
  if (places.empty()) return {};
  return places[Uniform(random, 0, places.size() - 1)];
}

bool IsTransfer(const WorkItem& work) { return !IsCompute(work.kind); }
bool IsSendItem(const WorkItem& work) { return IsSend(work.kind); }
bool IsReceiveItem(const WorkItem& work) { return IsReceive(work.kind); }

ProgramItem& ItemAt(TransferPlan& plan, Place at) {
  return plan.programs[at.device][at.item];
}

// Numbers the ends of channels in the order of the program again.
void Renumber(TransferPlan& plan, int device) {
  std::map<std::pair<int, bool>, int> next;
  for (ProgramItem& item : plan.programs[device]) {
    if (!IsTransfer(item.work)) continue;
    item.position = next[{item.channel, IsSend(item.work.kind)}]++;
  }
}

void Erase(TransferPlan& plan, Place at) {
  Program& program = plan.programs[at.device];
  program.erase(program.begin() + at.item);
}

void InsertAnywhere(TransferPlan& plan, int device, const ProgramItem& item,
                    Random& random) {
  Program& program = plan.programs[device];
  program.insert(program.begin() + Uniform(random, 0, program.size()), item);
}

// Returns false where the plan has nothing to spoil in this way.
using Mutate = bool (*)(TransferPlan& plan, Random& random);

bool DropSend(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsSendItem);
  if (at) Erase(plan, at);
  return bool{at};
}

bool DropReceive(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsReceiveItem);
  if (at) Erase(plan, at);
  return bool{at};
}

bool DropBoth(TransferPlan& plan, Random& random) {
  const Place send = Pick(plan, random, IsSendItem);
  if (!send) return false;
  const ProgramItem item = ItemAt(plan, send);
  Erase(plan, send);
  Renumber(plan, send.device);
  const int receiver = plan.channels[item.channel].to;
  Program& program = plan.programs[receiver];
  program.erase(std::find_if(
      program.begin(), program.end(), [&](const ProgramItem& other) {
        return IsReceive(other.work.kind) && other.channel == item.channel &&
               other.position == item.position;
      }));
  Renumber(plan, receiver);
  return true;
}

bool Repeat(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (!at) return false;
  InsertAnywhere(plan, at.device, ItemAt(plan, at), random);
  Renumber(plan, at.device);
  return true;
}

bool ChangePeer(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (!at) return false;
  WorkItem& work = ItemAt(plan, at).work;
  const int peer = Uniform(random, 0, 6);
  if (peer == PeerOf(work) || peer == work.stage) return false;
  work = Transfer(work.kind, work.stage, peer, work.micro_batch, work.slot);
  return true;
}

bool ChangeMicroBatch(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (!at) return false;
  ItemAt(plan, at).work.micro_batch += Uniform(random, 0, 1) == 0 ? 1 : -1;
  return true;
}

bool ChangeSlot(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsReceiveItem);
  if (!at) return false;
  WorkItem& work = ItemAt(plan, at).work;
  const int16_t slot = Uniform(random, -1, plan.slots);
  if (slot == work.slot) return false;
  work.slot = slot;
  return true;
}

bool GiveSendASlot(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsSendItem);
  if (at) ItemAt(plan, at).work.slot = 0;
  return bool{at};
}

bool TakeASlotAway(TransferPlan& plan, Random& random) {
  if (--plan.slots == 0) return false;
  for (Program& program : plan.programs) {
    for (ProgramItem& item : program) {
      if (item.work.slot >= 0) item.work.slot %= plan.slots;
    }
  }
  return true;
}

bool SwapEnds(TransferPlan& plan, Random& random,
              bool (*is_wanted)(const WorkItem&)) {
  const Place one = Pick(plan, random, is_wanted);
  const Place two = Pick(plan, random, is_wanted);
  if (!one || one.device != two.device || one.item == two.item) return false;
  std::swap(ItemAt(plan, one), ItemAt(plan, two));
  Renumber(plan, one.device);
  return true;
}

bool SwapReceives(TransferPlan& plan, Random& random) {
  return SwapEnds(plan, random, IsReceiveItem);
}

bool SwapSends(TransferPlan& plan, Random& random) {
  return SwapEnds(plan, random, IsSendItem);
}

bool MoveEnd(TransferPlan& plan, Random& random,
             bool (*is_wanted)(const WorkItem&)) {
  const Place at = Pick(plan, random, is_wanted);
  if (!at) return false;
  const ProgramItem item = ItemAt(plan, at);
  Erase(plan, at);
  InsertAnywhere(plan, at.device, item, random);
  Renumber(plan, at.device);
  return true;
}

bool MoveReceive(TransferPlan& plan, Random& random) {
  return MoveEnd(plan, random, IsReceiveItem);
}

bool MoveSend(TransferPlan& plan, Random& random) {
  return MoveEnd(plan, random, IsSendItem);
}

// Of one device, as far as they go without passing a receive of the same
// channel or a compute item that reads what they receive.
bool PostReceivesLate(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsReceiveItem);
  if (!at) return false;
  Program& program = plan.programs[at.device];
  for (size_t i = program.size(); i-- > 0;) {
    if (!IsReceiveItem(program[i].work)) continue;
    for (size_t j = i; j + 1 < program.size(); ++j) {
      const ProgramItem& next = program[j + 1];
      if (IsReceiveItem(next.work) ||
          (IsCompute(next.work.kind) &&
           next.work.stage == program[j].work.stage &&
           next.work.micro_batch == program[j].work.micro_batch)) {
        break;
      }
      std::swap(program[j], program[j + 1]);
    }
  }
  return true;
}

bool ChangeBytes(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (at) ItemAt(plan, at).bytes += Uniform(random, 0, 1) == 0 ? 1 : -1;
  return bool{at};
}

bool ChangeChannel(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (!at) return false;
  const int channel = Uniform(random, -1, plan.channels.size());
  if (channel == ItemAt(plan, at).channel) return false;
  ItemAt(plan, at).channel = channel;
  return true;
}

bool ChangePosition(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (at) ItemAt(plan, at).position += Uniform(random, 0, 1) == 0 ? 1 : -1;
  return bool{at};
}

bool SwapCompute(TransferPlan& plan, Random& random) {
  const auto is_compute = [](const WorkItem& work) {
    return IsCompute(work.kind);
  };
  const Place one = Pick(plan, random, is_compute);
  const Place two = Pick(plan, random, is_compute);
  if (!one || (one.device == two.device && one.item == two.item)) return false;
  std::swap(ItemAt(plan, one), ItemAt(plan, two));
  return true;
}

bool DropCompute(TransferPlan& plan, Random& random) {
  const Place at = Pick(
      plan, random, [](const WorkItem& work) { return IsCompute(work.kind); });
  if (at) Erase(plan, at);
  return bool{at};
}

bool Group(TransferPlan& plan, Random& random) {
  const Place at = Pick(plan, random, IsTransfer);
  if (!at) return false;
  Program& program = plan.programs[at.device];
  const size_t end =
      std::min<size_t>(at.item + Uniform(random, 2, 4), program.size());
  for (size_t i = at.item; i < end && IsTransfer(program[i].work); ++i) {
    program[i].group = 1000;
  }
  return true;
}

struct Kind {
  const char* name;
  Mutate mutate;
  std::set<Rule> reasons;
  bool may_be_as_good = false;
};

class Mutants : public testing::TestWithParam<Kind> {};

TEST_P(Mutants, AreNamedOrAsGood) {
  const Kind& kind = GetParam();
  std::map<Rule, int> rejected;
  int as_good = 0;
  int spoilt = 0;
  for (int seed = 0; spoilt < kMutantsOfAKind; ++seed) {
    ASSERT_LT(seed, 100 * kMutantsOfAKind) << "too few plans can be spoilt";
    Random random(seed);
    const TransferCase sample = RandomTransferCase(random);
    auto inserted = InsertTransfers(sample.table, sample.order, sample.options);
    if (!inserted.ok()) continue;
    TransferPlan plan = *std::move(inserted);
    if (!kind.mutate(plan, random)) continue;
    ++spoilt;
    const std::vector<Finding> findings =
        ProveTransfers(sample.table, sample.order, plan);
    auto run = [&](ExecutorKind executor) {
      return ExecuteAdversarially(sample.table, plan, executor, random);
    };
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + Describe(findings) +
                 Describe(plan));
    if (findings.empty()) {
      ++as_good;
      ASSERT_TRUE(kind.may_be_as_good);
      for (int e = 0; e < 3; ++e) {
        const ExecutionResult result = run(static_cast<ExecutorKind>(e));
        ASSERT_TRUE(result.ends && !result.overwrites)
            << "executor " << e << (result.hangs ? " hangs " : " fails ")
            << result.error;
      }
      continue;
    }
    std::set<Rule> found;
    for (const Finding& finding : findings) found.insert(finding.rule);
    ASSERT_TRUE(std::any_of(found.begin(), found.end(), [&](Rule rule) {
      return kind.reasons.count(rule) > 0;
    }));
    ++rejected[findings.front().rule];
    if (found == std::set<Rule>{Rule::kDeadlock}) {
      ASSERT_TRUE(run(ExecutorKind::kBlocking).hangs);
    }
    if (found == std::set<Rule>{Rule::kSlotInUse}) {
      const ExecutionResult result = run(ExecutorKind::kBlocking);
      ASSERT_TRUE(result.overwrites || result.hangs);
    }
  }
  std::printf("%d mutants: %d as good", spoilt, as_good);
  for (const auto& [rule, count] : rejected) {
    std::printf(", %d %s", count, RuleName(rule));
  }
  std::printf("\n");
}

const std::set<Rule> kOfAMove = {Rule::kTransferFlow, Rule::kChannelOrder,
                                 Rule::kSlotInUse, Rule::kDeadlock,
                                 Rule::kMemoryExceeded};

INSTANTIATE_TEST_SUITE_P(
    ProveTransfers, Mutants,
    testing::Values(
        Kind{"DropSend", DropSend, {Rule::kTransferMissing}},
        Kind{"DropReceive", DropReceive, {Rule::kTransferMissing}},
        Kind{"DropBoth", DropBoth, {Rule::kTransferMissing}},
        Kind{"Repeat", Repeat, {Rule::kTransferRepeated}},
        Kind{"ChangePeer",
             ChangePeer,
             {Rule::kTransferInvalid, Rule::kTransferRepeated}},
        Kind{"ChangeMicroBatch",
             ChangeMicroBatch,
             {Rule::kTransferInvalid, Rule::kTransferRepeated}},
        Kind{"ChangeSlot",
             ChangeSlot,
             {Rule::kTransferInvalid, Rule::kSlotInUse},
             true},
        Kind{"GiveSendASlot", GiveSendASlot, {Rule::kTransferInvalid}},
        Kind{"TakeASlotAway", TakeASlotAway, {Rule::kSlotInUse}, true},
        Kind{"SwapReceives", SwapReceives, kOfAMove, true},
        Kind{"SwapSends", SwapSends, kOfAMove, true},
        Kind{"MoveReceive", MoveReceive, kOfAMove, true},
        Kind{"MoveSend", MoveSend, kOfAMove, true},
        Kind{"PostReceivesLate", PostReceivesLate, {Rule::kDeadlock}, true},
        Kind{"ChangeBytes", ChangeBytes, {Rule::kTransferBytes}},
        Kind{"ChangeChannel", ChangeChannel, {Rule::kTransferInvalid}},
        Kind{"ChangePosition", ChangePosition, {Rule::kChannelOrder}},
        Kind{"SwapCompute", SwapCompute, {Rule::kOrderChanged}},
        Kind{"DropCompute", DropCompute, {Rule::kOrderChanged}},
        Kind{"Group", Group, {Rule::kDeadlock}, true}),
    [](const testing::TestParamInfo<Kind>& info) { return info.param.name; });

}  // namespace
}  // namespace octopipe
