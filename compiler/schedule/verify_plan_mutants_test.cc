// Valid plans by seed, each spoilt in one way: the verifier must name the rule.

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/random_problem.h"
#include "compiler/schedule/verify_plan.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr int kMutants = 1000;

struct Case {
  Problem problem;
  Plan plan;
};

Case RandomCase(std::mt19937_64& random) {
  for (;;) {
    Case sample;
    sample.problem = RandomProblem({}, random);
    const int stages = Uniform(random, 1, sample.problem.layers.size());
    const int devices = static_cast<int>(sample.problem.devices.size());
    sample.plan.partition = RandomPartition(sample.problem, stages, random);
    sample.plan.placement =
        RandomPlacement(static_cast<PlacementShape>(Uniform(random, 0, 2)),
                        stages, devices, random);
    const NamedSchedule& schedule =
        NamedSchedules()[Uniform(random, 0, NamedSchedules().size() - 1)];
    absl::StatusOr<Order> order = GenerateNamedSchedule(
        schedule.name, BuildStageTable(sample.problem, sample.plan.partition,
                                       sample.plan.placement));
    if (!order.ok()) continue;
    sample.plan.order = *std::move(order);
    return sample;
  }
}

std::string Describe(const std::vector<Finding>& findings) {
  return absl::StrJoin(
      findings, "\n", [](std::string* out, const Finding& finding) {
        absl::StrAppend(out, RuleName(finding.rule), ": ", finding.message);
      });
}

bool Names(const std::vector<Finding>& findings, Rule rule) {
  return std::any_of(findings.begin(), findings.end(),
                     [rule](const Finding& f) { return f.rule == rule; });
}

struct Position {
  int device;
  int item;
};

Position RandomItem(const Case& sample, std::mt19937_64& random) {
  for (;;) {
    const auto& programs = sample.plan.order.programs;
    const int device = Uniform(random, 0, programs.size() - 1);
    if (programs[device].empty()) continue;
    return {device,
            static_cast<int>(Uniform(random, 0, programs[device].size() - 1))};
  }
}

WorkItem& ItemAt(Case& sample, Position at) {
  return sample.plan.order.programs[at.device][at.item];
}

void Erase(Case& sample, Position at) {
  std::vector<WorkItem>& program = sample.plan.order.programs[at.device];
  program.erase(program.begin() + at.item);
}

void InsertAnywhere(Case& sample, int device, const WorkItem& item,
                    std::mt19937_64& random) {
  std::vector<WorkItem>& program = sample.plan.order.programs[device];
  program.insert(program.begin() + Uniform(random, 0, program.size()), item);
}

// Returns false where the case has nothing to spoil in this way.
using Mutate = bool (*)(Case& sample, std::mt19937_64& random);

bool Drop(Case& sample, std::mt19937_64& random) {
  Erase(sample, RandomItem(sample, random));
  return true;
}

bool Repeat(Case& sample, std::mt19937_64& random) {
  const Position at = RandomItem(sample, random);
  InsertAnywhere(sample, at.device, ItemAt(sample, at), random);
  return true;
}

bool MoveToAnotherDevice(Case& sample, std::mt19937_64& random) {
  const int devices = static_cast<int>(sample.problem.devices.size());
  if (devices == 1) return false;
  const Position at = RandomItem(sample, random);
  const WorkItem item = ItemAt(sample, at);
  Erase(sample, at);
  const int other = (at.device + Uniform(random, 1, devices - 1)) % devices;
  InsertAnywhere(sample, other, item, random);
  return true;
}

bool BreakStage(Case& sample, std::mt19937_64& random) {
  const int stages = sample.plan.partition.stages();
  ItemAt(sample, RandomItem(sample, random)).stage =
      Uniform(random, 0, 1) == 0 ? stages + Uniform(random, 0, 3) : -1;
  return true;
}

bool BreakMicroBatch(Case& sample, std::mt19937_64& random) {
  ItemAt(sample, RandomItem(sample, random)).micro_batch =
      Uniform(random, 0, 1) == 0
          ? sample.problem.micro_batches + Uniform(random, 0, 3)
          : -1;
  return true;
}

bool BreakKind(Case& sample, std::mt19937_64& random) {
  ItemAt(sample, RandomItem(sample, random)).kind =
      static_cast<WorkKind>(Uniform(random, 4, kNumWorkKinds - 1));
  return true;
}

bool AddSlot(Case& sample, std::mt19937_64& random) {
  ItemAt(sample, RandomItem(sample, random)).slot = Uniform(random, 0, 3);
  return true;
}

bool SwapForwardAndBackward(Case& sample, std::mt19937_64& random) {
  const Position at = RandomItem(sample, random);
  std::vector<WorkItem>& program = sample.plan.order.programs[at.device];
  const WorkItem item = program[at.item];
  for (size_t i = at.item + 1; i < program.size(); ++i) {
    if (program[i].stage == item.stage &&
        program[i].micro_batch == item.micro_batch) {
      std::swap(program[at.item], program[i]);
      return true;
    }
  }
  return false;
}

bool MixBackward(Case& sample, std::mt19937_64& random) {
  const Position at = RandomItem(sample, random);
  const WorkItem item = ItemAt(sample, at);
  if (item.kind == WorkKind::kForward) return false;
  const WorkItem other = item.kind == WorkKind::kBackward
                             ? InputGradient(item.stage, item.micro_batch)
                             : Backward(item.stage, item.micro_batch);
  InsertAnywhere(sample, at.device, other, random);
  return true;
}

bool ForbidSplit(Case& sample, std::mt19937_64& random) {
  const WorkItem item = ItemAt(sample, RandomItem(sample, random));
  if (item.kind != WorkKind::kInputGradient) return false;
  const std::vector<int>& begin = sample.plan.partition.begin;
  const int layer =
      Uniform(random, begin[item.stage], begin[item.stage + 1] - 1);
  sample.problem.layers[layer].cost.splittable = false;
  return true;
}

// Puts one micro-batch first on a consumer's device and last on its producer's,
// whose other backwards need the consumer's.
bool Deadlock(Case& sample, std::mt19937_64& random) {
  if (sample.problem.micro_batches < 2) return false;
  const std::vector<int>& begin = sample.plan.partition.begin;
  const int consumer = Uniform(random, 0, sample.plan.partition.stages() - 1);
  const std::vector<int>& inputs =
      sample.problem.layers[begin[consumer]].inputs;
  if (inputs.empty()) return false;
  const int input = inputs[Uniform(random, 0, inputs.size() - 1)];
  const int producer =
      std::upper_bound(begin.begin(), begin.end(), input) - begin.begin() - 1;
  const int from = sample.plan.placement.device[producer];
  const int to = sample.plan.placement.device[consumer];
  if (from == to || !sample.problem.layers[input].needs_grad) return false;
  const int chosen = Uniform(random, 0, sample.problem.micro_batches - 1);
  auto is_chosen = [chosen](const WorkItem& item) {
    return item.micro_batch == chosen;
  };
  std::vector<WorkItem>& first = sample.plan.order.programs[to];
  std::stable_partition(first.begin(), first.end(), is_chosen);
  std::vector<WorkItem>& last = sample.plan.order.programs[from];
  std::stable_partition(last.begin(), last.end(), std::not_fn(is_chosen));
  return true;
}

bool CutShort(Case& sample, std::mt19937_64&) {
  --sample.plan.partition.begin.back();
  return true;
}

bool EmptyStage(Case& sample, std::mt19937_64& random) {
  std::vector<int>& begin = sample.plan.partition.begin;
  if (begin.size() == 2) return false;
  const int cut = Uniform(random, 1, begin.size() - 2);
  begin[cut] = begin[cut + 1];
  return true;
}

bool TurnStageAround(Case& sample, std::mt19937_64& random) {
  std::vector<int>& begin = sample.plan.partition.begin;
  if (begin.size() == 2) return false;
  const int cut = Uniform(random, 1, begin.size() - 2);
  begin[cut] = begin[cut + 1] + 1;
  return true;
}

bool UnplaceStage(Case& sample, std::mt19937_64& random) {
  std::vector<int>& device = sample.plan.placement.device;
  if (Uniform(random, 0, 1) == 0) {
    device.pop_back();
  } else {
    device[Uniform(random, 0, device.size() - 1)] = -1;
  }
  return true;
}

bool RemoveDevice(Case& sample, std::mt19937_64&) {
  const int last = static_cast<int>(sample.problem.devices.size()) - 1;
  const std::vector<int>& device = sample.plan.placement.device;
  if (std::count(device.begin(), device.end(), last) == 0) return false;
  sample.problem.devices.pop_back();
  sample.problem.links.clear();
  return true;
}

// The most that a device holds, by the definition: at each item, everything
// whose forward has started and that its last user has not left.
Bytes PeakByDefinition(const Case& sample, int device) {
  const std::vector<WorkItem>& program = sample.plan.order.programs[device];
  const std::vector<int>& begin = sample.plan.partition.begin;
  Bytes fixed = 0;
  bool holds_tied = false;
  for (int s = 0; s < sample.plan.partition.stages(); ++s) {
    if (sample.plan.placement.device[s] != device) continue;
    for (int l = begin[s]; l < begin[s + 1]; ++l) {
      const Layer& layer = sample.problem.layers[l];
      if (layer.shares == "tied" && holds_tied) continue;
      holds_tied |= layer.shares == "tied";
      fixed += layer.cost.memory.param_bytes + layer.cost.memory.grad_bytes +
               layer.cost.memory.optimizer_bytes;
    }
  }
  Bytes peak = 0;
  for (size_t now = 0; now < program.size(); ++now) {
    Bytes bytes = fixed;
    Bytes workspace = 0;
    for (int l = begin[program[now].stage]; l < begin[program[now].stage + 1];
         ++l) {
      const LayerMemory& memory = sample.problem.layers[l].cost.memory;
      workspace = std::max(workspace, program[now].kind == WorkKind::kForward
                                          ? memory.f_workspace_bytes
                                          : memory.b_workspace_bytes);
    }
    for (size_t f = 0; f <= now; ++f) {
      if (program[f].kind != WorkKind::kForward) continue;
      auto has_ended = [&](WorkKind split) {
        return std::any_of(
            program.begin(), program.begin() + now, [&](const WorkItem& item) {
              return item.stage == program[f].stage &&
                     item.micro_batch == program[f].micro_batch &&
                     (item.kind == split || item.kind == WorkKind::kBackward);
            });
      };
      for (int l = begin[program[f].stage]; l < begin[program[f].stage + 1];
           ++l) {
        const LayerMemory& memory = sample.problem.layers[l].cost.memory;
        if (!has_ended(WorkKind::kInputGradient)) bytes += memory.saved_b_bytes;
        if (!has_ended(WorkKind::kWeightGradient)) {
          bytes += memory.saved_w_bytes;
        }
      }
    }
    peak = std::max(peak, bytes + workspace);
  }
  return peak;
}

bool LimitMemory(Case& sample, std::mt19937_64& random) {
  const int device = Uniform(random, 0, sample.problem.devices.size() - 1);
  const Bytes peak = PeakByDefinition(sample, device);
  if (peak < 2) return false;
  sample.problem.devices[device].memory_bytes = peak;
  EXPECT_EQ(Describe(VerifyPlan(sample.problem, sample.plan)), "");
  sample.problem.devices[device].memory_bytes = peak - 1;
  return true;
}

struct Kind {
  const char* name;
  Rule rule;
  Mutate mutate;
};

class Mutants : public testing::TestWithParam<Kind> {};

TEST_P(Mutants, AreNamed) {
  const Kind& kind = GetParam();
  int spoilt = 0;
  for (int seed = 0; spoilt < kMutants; ++seed) {
    ASSERT_LT(seed, 100 * kMutants) << "too few cases can be spoilt";
    std::mt19937_64 random(seed);
    const Case valid = RandomCase(random);
    Case sample = valid;
    if (!kind.mutate(sample, random)) continue;
    ASSERT_EQ(Describe(VerifyPlan(valid.problem, valid.plan)), "")
        << "seed " << seed;
    ++spoilt;
    const std::vector<Finding> findings =
        VerifyPlan(sample.problem, sample.plan);
    ASSERT_TRUE(Names(findings, kind.rule)) << "seed " << seed << ", found:\n"
                                            << Describe(findings);
  }
}

INSTANTIATE_TEST_SUITE_P(
    VerifyPlan, Mutants,
    testing::Values(
        Kind{"Drop", Rule::kItemMissing, Drop},
        Kind{"Repeat", Rule::kItemRepeated, Repeat},
        Kind{"Move", Rule::kItemOnWrongDevice, MoveToAnotherDevice},
        Kind{"BreakStage", Rule::kItemInvalid, BreakStage},
        Kind{"BreakMicroBatch", Rule::kItemInvalid, BreakMicroBatch},
        Kind{"BreakKind", Rule::kItemInvalid, BreakKind},
        Kind{"AddSlot", Rule::kItemInvalid, AddSlot},
        Kind{"Swap", Rule::kDataFlow, SwapForwardAndBackward},
        Kind{"MixBackward", Rule::kBackwardMixed, MixBackward},
        Kind{"ForbidSplit", Rule::kBackwardNotSplittable, ForbidSplit},
        Kind{"Deadlock", Rule::kDeadlock, Deadlock},
        Kind{"CutShort", Rule::kLayersUncovered, CutShort},
        Kind{"EmptyStage", Rule::kStageEmpty, EmptyStage},
        Kind{"TurnStageAround", Rule::kStageNotContiguous, TurnStageAround},
        Kind{"UnplaceStage", Rule::kStageWithoutDevice, UnplaceStage},
        Kind{"RemoveDevice", Rule::kUnknownDevice, RemoveDevice},
        Kind{"LimitMemory", Rule::kMemoryExceeded, LimitMemory}),
    [](const testing::TestParamInfo<Kind>& info) { return info.param.name; });

}  // namespace
}  // namespace octopipe
