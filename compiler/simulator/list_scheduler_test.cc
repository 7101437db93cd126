#include "compiler/simulator/list_scheduler.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/simulator/longest_path_oracle.h"
#include "compiler/simulator/random_instance.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

std::string Text(const std::vector<WorkItem>& program) {
  std::string text;
  for (const WorkItem& item : program) {
    if (!text.empty()) text += ' ';
    AppendItem(item, &text);
  }
  return text;
}

// A chain of `stages` equal stages, one a device: f 1, b 1, w 1; 10 bytes saved
// for B and as many for W.
StageTable UniformChain(int stages, int micro_batches) {
  StageTable table;
  table.num_devices = stages;
  table.micro_batches = micro_batches;
  table.static_bytes.assign(stages, 100);
  table.memory_bytes.assign(stages, 0);
  table.in_edges.resize(stages);
  table.out_edges.resize(stages);
  for (int s = 0; s < stages; ++s) {
    StageCost stage;
    stage.device = s;
    stage.f_ns = stage.b_ns = stage.w_ns = 1;
    stage.bw_ns = 2;
    stage.saved_b_bytes = stage.saved_w_bytes = 10;
    table.stages.push_back(stage);
    if (s == 0) continue;
    StageEdge edge;
    edge.from = s - 1;
    edge.to = s;
    table.edges.push_back(edge);
    table.in_edges[s].push_back(s - 1);
    table.out_edges[s - 1].push_back(s - 1);
  }
  return table;
}

// What is wrong with `order` by the documented rules, or "".
std::string Fault(const StageTable& table, const Policy& policy,
                  const Order& order) {
  std::set<std::tuple<WorkKind, int, int>> left;
  for (int s = 0; s < table.num_stages(); ++s) {
    bool sends_gradient = false;
    for (const StageEdge& edge : table.edges) {
      sends_gradient |= edge.to == s && edge.needs_grad;
    }
    const bool split =
        table.stages[s].splittable &&
        (policy.split == BackwardSplit::kAlways ||
         (policy.split == BackwardSplit::kAuto && sends_gradient));
    for (int m = 0; m < table.micro_batches; ++m) {
      left.insert({WorkKind::kForward, s, m});
      if (split) {
        left.insert({WorkKind::kInputGradient, s, m});
        left.insert({WorkKind::kWeightGradient, s, m});
      } else {
        left.insert({WorkKind::kBackward, s, m});
      }
    }
  }
  for (int d = 0; d < table.num_devices; ++d) {
    Bytes held = table.static_bytes[d];
    for (const WorkItem& item : order.programs[d]) {
      const StageCost& stage = table.stages[item.stage];
      if (left.erase({item.kind, item.stage, item.micro_batch}) != 1) {
        return absl::StrCat(ToString(item), " repeated or not expected");
      }
      if (stage.device != d) return "wrong device";
      const bool is_forward = item.kind == WorkKind::kForward;
      if (is_forward) held += stage.saved_b_bytes + stage.saved_w_bytes;
      const Bytes level = held + (is_forward ? stage.f_workspace_bytes
                                             : stage.b_workspace_bytes);
      if (table.memory_bytes[d] > 0 && level > table.memory_bytes[d]) {
        return absl::StrCat("device ", d, " over its memory at ",
                            ToString(item));
      }
      if (item.kind == WorkKind::kInputGradient ||
          item.kind == WorkKind::kBackward) {
        held -= stage.saved_b_bytes;
      }
      if (item.kind == WorkKind::kWeightGradient ||
          item.kind == WorkKind::kBackward) {
        held -= stage.saved_w_bytes;
      }
    }
  }
  if (!left.empty()) return absl::StrCat(left.size(), " items missing");
  if (!LongestPath(table, order)) return "a device waits for ever";
  return "";
}

Policy RandomPolicy(std::mt19937_64& random) {
  Policy policy;
  policy.rules.clear();
  for (int64_t n = Below(random, 5); n > 0; --n) {
    policy.rules.push_back(static_cast<TieBreak>(Below(random, 7)));
  }
  policy.split = static_cast<BackwardSplit>(Below(random, 3));
  return policy;
}

// What `device` must have for one micro-batch, from the error at one byte.
Bytes NeedFromError(StageTable table, int device, const Policy& policy) {
  table.memory_bytes.assign(table.num_devices, 0);
  table.memory_bytes[device] = 1;
  const absl::Status status = ListSchedule(table, policy).status();
  if (status.ok()) return 1;
  const std::string text(status.message());
  const size_t at = text.find("has 1: ") + 7;
  int64_t missing = 0;
  EXPECT_TRUE(
      absl::SimpleAtoi(text.substr(at, text.find(' ', at) - at), &missing))
      << text;
  return 1 + missing;
}

TEST(ListSchedule, FinishesWithinEveryMemoryThatOneMicroBatchFits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i) {
    InstanceShape shape;
    shape.max_stages = 8;
    shape.max_micro_batches = 12;
    shape.chain = i % 3 == 0;
    // More ops on a device than a word has bits; more micro-batches than the
    // banker's first window.
    if (i % 100 == 1) shape.max_stages = 60;
    if (i % 100 == 2) shape.max_micro_batches = 200;
    StageTable table = RandomTable(shape, random);
    const Policy policy = RandomPolicy(random);
    std::vector<Bytes> needs;
    for (int d = 0; d < table.num_devices; ++d) {
      needs.push_back(NeedFromError(table, d, policy));
    }
    const int64_t slack = Below(random, 4) == 0 ? 1 : 200;
    for (int d = 0; d < table.num_devices; ++d) {
      table.memory_bytes[d] =
          Below(random, 5) == 0 ? 0 : needs[d] + Below(random, slack);
    }
    const auto order = ListSchedule(table, policy);
    ASSERT_TRUE(order.ok()) << order.status();
    ASSERT_EQ(Fault(table, policy, *order), "") << "instance " << i;

    const int d = Below(random, table.num_devices);
    if (needs[d] <= 1) continue;
    table.memory_bytes[d] = needs[d] - 1;
    const absl::Status status = ListSchedule(table, policy).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(RuleOf(status), Rule::kMemoryExceeded);
    EXPECT_EQ(SubjectOf(status), (Subject{SubjectKind::kDevice, d, -1}));
    EXPECT_TRUE(absl::StrContains(status.message(), ": 1 missing;")) << status;
  }
}

// Whether some order of all items keeps `device` within `memory`, by trying
// all. One item after another is enough: memory does not depend on time.
class AnyOrderFits {
 public:
  AnyOrderFits(const StageTable& table, int device, Bytes memory)
      : table_(table), device_(device), memory_(memory) {}

  bool From(uint32_t done, Bytes held) {
    const int items = 3 * table_.num_stages() * table_.micro_batches;
    if (done == (uint32_t{1} << items) - 1) return true;
    if (!seen_.insert(done).second) return false;
    for (int i = 0; i < items; ++i) {
      if (done >> i & 1) continue;
      const int stage = i / 3 % table_.num_stages();
      const StageCost& cost = table_.stages[stage];
      // F, B and W of a stage and micro-batch are neighbours; stages too.
      bool ready;
      Bytes rise;
      Bytes kept;
      if (i % 3 == 0) {
        ready = stage == 0 || (done >> (i - 3) & 1);
        kept = cost.saved_b_bytes + cost.saved_w_bytes;
        rise = kept + cost.f_workspace_bytes;
      } else if (i % 3 == 1) {
        ready = stage + 1 == table_.num_stages() ? (done >> (i - 1) & 1)
                                                 : (done >> (i + 3) & 1);
        kept = -cost.saved_b_bytes;
        rise = cost.b_workspace_bytes;
      } else {
        ready = done >> (i - 1) & 1;
        kept = -cost.saved_w_bytes;
        rise = cost.b_workspace_bytes;
      }
      if (!ready) continue;
      const bool here = cost.device == device_;
      if (here && held + rise > memory_) continue;
      if (From(done | uint32_t{1} << i, here ? held + kept : held)) return true;
    }
    return false;
  }

 private:
  const StageTable& table_;
  const int device_;
  const Bytes memory_;
  std::set<uint32_t> seen_;
};

TEST(ListSchedule, RefusesAChainOnlyWhereNoOrderFits) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 150; ++i) {
    const StageTable table = RandomTable({3, 2, 2, true}, random);
    Policy policy;
    policy.split = static_cast<BackwardSplit>(Below(random, 3));
    for (int d = 0; d < table.num_devices; ++d) {
      const Bytes need = NeedFromError(table, d, policy);
      if (need <= 1) continue;
      const Bytes held = table.static_bytes[d];
      EXPECT_TRUE(AnyOrderFits(table, d, need).From(0, held));
      EXPECT_FALSE(AnyOrderFits(table, d, need - 1).From(0, held));
    }
  }
}

// Without memory limits no device is idle while one of its items could start.
TEST(ListSchedule, LeavesNoDeviceIdleWithoutCause) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    StageTable table = RandomTable({6, 4, 6, i % 2 == 0}, random);
    for (StageEdge& edge : table.edges) {
      edge.activation_channel = edge.gradient_channel = -1;
      edge.activation_transfer_ns = edge.activation_latency_ns = 0;
      edge.gradient_transfer_ns = edge.gradient_latency_ns = 0;
    }
    table.memory_bytes.assign(table.num_devices, 0);
    const Policy policy = RandomPolicy(random);
    const auto order = ListSchedule(table, policy);
    ASSERT_TRUE(order.ok()) << order.status();
    const auto timeline = LongestPath(table, *order);
    ASSERT_TRUE(timeline.has_value());

    std::map<std::tuple<int, int, int>, Nanos> ends;  // part 0 F, 1 B, BW, 2 W
    auto part = [](WorkKind kind) {
      return kind == WorkKind::kForward          ? 0
             : kind == WorkKind::kWeightGradient ? 2
                                                 : 1;
    };
    auto duration = [&](const WorkItem& item) {
      const StageCost& stage = table.stages[item.stage];
      return item.kind == WorkKind::kForward          ? stage.f_ns
             : item.kind == WorkKind::kInputGradient  ? stage.b_ns
             : item.kind == WorkKind::kWeightGradient ? stage.w_ns
                                                      : stage.bw_ns;
    };
    for (int d = 0; d < table.num_devices; ++d) {
      for (size_t p = 0; p < order->programs[d].size(); ++p) {
        const WorkItem& item = order->programs[d][p];
        ends[{item.stage, item.micro_batch, part(item.kind)}] =
            timeline->start_ns[d][p] + duration(item);
      }
    }
    auto arrival = [&](const WorkItem& item) {
      const int s = item.stage;
      const int m = item.micro_batch;
      Nanos last = 0;
      if (item.kind == WorkKind::kForward) {
        for (int e : table.in_edges[s]) {
          last = std::max(last, ends.at({table.edges[e].from, m, 0}));
        }
        return last;
      }
      if (item.kind == WorkKind::kWeightGradient) return ends.at({s, m, 1});
      last = ends.at({s, m, 0});
      for (int e : table.out_edges[s]) {
        if (!table.edges[e].needs_grad) continue;
        last = std::max(last, ends.at({table.edges[e].to, m, 1}));
      }
      return last;
    };
    for (int d = 0; d < table.num_devices; ++d) {
      const std::vector<WorkItem>& program = order->programs[d];
      Nanos free = 0;
      for (size_t p = 0; p < program.size(); ++p) {
        const Nanos start = timeline->start_ns[d][p];
        for (size_t q = p; q < program.size() && start > free; ++q) {
          ASSERT_GE(arrival(program[q]), start)
              << ToString(program[q]) << " could go before "
              << ToString(program[p]);
        }
        free = start + duration(program[p]);
      }
    }
  }
}

TEST(ListSchedule, MemoryForSMicroBatchesGivesOneForwardOneBackward) {
  StageTable table = UniformChain(3, 5);
  for (int s = 0; s < 3; ++s) table.memory_bytes[s] = 100 + 20 * (3 - s);
  Policy policy;
  policy.split = BackwardSplit::kNever;
  const auto order = ListSchedule(table, policy);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(Text(order->programs[0]),
            "F0.0 F0.1 F0.2 BW0.0 F0.3 BW0.1 F0.4 BW0.2 BW0.3 BW0.4");
  EXPECT_EQ(Text(order->programs[1]),
            "F1.0 F1.1 BW1.0 F1.2 BW1.1 F1.3 BW1.2 F1.4 BW1.3 BW1.4");
  EXPECT_EQ(Text(order->programs[2]),
            "F2.0 BW2.0 F2.1 BW2.1 F2.2 BW2.2 F2.3 BW2.3 F2.4 BW2.4");
}

TEST(ListSchedule, ForwardBeforeBackwardRunsAllForwardsFirst) {
  const StageTable table = UniformChain(2, 3);
  Policy policy;
  policy.rules = {TieBreak::kForwardBeforeBackward};
  policy.split = BackwardSplit::kNever;
  const auto order = ListSchedule(table, policy);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(Text(order->programs[0]), "F0.0 F0.1 F0.2 BW0.0 BW0.1 BW0.2");
  EXPECT_EQ(Text(order->programs[1]), "F1.0 F1.1 F1.2 BW1.0 BW1.1 BW1.2");
}

// Both stages on one device.
TEST(ListSchedule, DepthRulesGoByTheDistanceToTheLoss) {
  StageTable table = UniformChain(2, 2);
  table.stages[1].device = 0;
  Policy policy;
  policy.split = BackwardSplit::kNever;
  policy.rules = {TieBreak::kDeepestStage};
  EXPECT_EQ(Text(ListSchedule(table, policy)->programs[0]),
            "F0.0 F1.0 BW1.0 F0.1 F1.1 BW1.1 BW0.0 BW0.1");
  policy.rules = {TieBreak::kShallowestStage};
  EXPECT_EQ(Text(ListSchedule(table, policy)->programs[0]),
            "F0.0 F0.1 F1.0 F1.1 BW1.0 BW0.0 BW1.1 BW0.1");
}

// Device 1 puts both W behind its last B; device 0 fills a bubble with W0.0.
TEST(ListSchedule, WeightGradientsFillBubbles) {
  const StageTable table = UniformChain(2, 2);
  Policy policy;
  policy.split = BackwardSplit::kAlways;
  const auto order = ListSchedule(table, policy);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(Text(order->programs[1]), "F1.0 B1.0 F1.1 B1.1 W1.0 W1.1");
  EXPECT_EQ(Text(order->programs[0]), "F0.0 F0.1 B0.0 W0.0 B0.1 W0.1");
}

// Room for one micro-batch: the second F must wait for the first W.
TEST(ListSchedule, WeightGradientsRunWhereMemoryAdmitsNothingElse) {
  StageTable table = UniformChain(1, 2);
  table.memory_bytes = {120};
  Policy policy;
  policy.split = BackwardSplit::kAlways;
  const auto order = ListSchedule(table, policy);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(Text(order->programs[0]), "F0.0 B0.0 W0.0 F0.1 B0.1 W0.1");
}

// Device 0 has the first and the last stage and room for three activations.
// With three first stages in flight no last stage could run.
TEST(ListSchedule, KeepsMemoryForTheStagesStillToCome) {
  StageTable table = UniformChain(3, 4);
  table.stages[2].device = 0;
  table.memory_bytes = {160, 0, 0};
  const auto order = ListSchedule(table, Policy());
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(Text(order->programs[0]).substr(0, 14), "F0.0 F0.1 F2.0");
  EXPECT_EQ(Fault(table, Policy(), *order), "");
}

TEST(ListSchedule, NamesTheMissingBytes) {
  StageTable table = UniformChain(2, 2);
  table.memory_bytes = {120, 115};
  const absl::Status status = ListSchedule(table, Policy()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "one micro-batch alone needs 120 bytes on device 1 (100 of them "
            "static), which has 115: 5 missing; give it fewer or smaller "
            "stages");
}

TEST(ListScheduleExplained, TellsWhyInOrderOfTime) {
  StageTable table = UniformChain(2, 2);
  table.memory_bytes = {0, 120};
  Policy policy;
  policy.split = BackwardSplit::kNever;
  std::vector<std::string> log;
  const auto order = ListScheduleExplained(
      table, policy,
      [&](const Decision& decision) { log.push_back(ToString(decision)); });
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(log,
            (std::vector<std::string>{
                "0 ns, device 0: F0.0 over F0.1, oldest-micro-batch: the "
                "oldest micro-batch goes first",
                "1 ns, device 0: F0.1, the only item",
                "1 ns, device 1: F1.0, the only item",
                "2 ns, device 1: BW1.0 over F1.1, backward-before-forward: a "
                "backward frees activations",
                "4 ns, device 0: BW0.0, the only item",
                "4 ns, device 1: F1.1, the only item",
                "5 ns, device 1: BW1.1, the only item",
                "7 ns, device 0: BW0.1, the only item",
            }));
  EXPECT_EQ(*order, *ListSchedule(table, policy));
}

TEST(ListScheduleExplained, TellsWhatMemoryRefused) {
  StageTable table = UniformChain(1, 2);
  table.memory_bytes = {130};
  Policy policy;
  policy.rules = {TieBreak::kForwardBeforeBackward};
  std::vector<std::string> log;
  ASSERT_TRUE(
      ListScheduleExplained(table, policy, [&](const Decision& decision) {
        log.push_back(ToString(decision));
      }).ok());
  ASSERT_EQ(log.size(), 4);
  EXPECT_EQ(log[1],
            "1 ns, device 0: BW0.0 over F0.1, memory: the other would not "
            "leave enough for the micro-batches in flight");
}

TEST(TieBreak, NamesAreDistinct) {
  std::set<std::string> names;
  for (int rule = 0; rule < 7; ++rule) {
    names.insert(std::string(TieBreakName(static_cast<TieBreak>(rule))));
    EXPECT_NE(TieBreakReason(static_cast<TieBreak>(rule)), "");
  }
  EXPECT_EQ(names.size(), 7);
}

}  // namespace
}  // namespace octopipe
