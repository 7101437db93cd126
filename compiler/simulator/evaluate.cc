#include "compiler/simulator/evaluate.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/simulator/bubbles.h"
#include "compiler/simulator/critical_path.h"
#include "compiler/simulator/event_simulator.h"
#include "compiler/simulator/memory_timeline.h"
#include "compiler/simulator/order_evaluator.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// A device that waits for ever, the item that it cannot start and the one that
// this waits for.
struct Wait {
  Rule rule = Rule::kDeadlock;
  int device = 0;
  int position = 0;
  WorkItem item;
  WorkItem producer;
  int producer_device = 0;
  int producer_position = -1;  // -1: in no program
};

WorkItem ItemOfTask(int task, int32_t micro_batch) {
  const int stage = task / 3;
  switch (static_cast<TaskKind>(task % 3)) {
    case TaskKind::kForward:
      return Forward(stage, micro_batch);
    case TaskKind::kGradient:
      return InputGradient(stage, micro_batch);
    default:
      return WeightGradient(stage, micro_batch);
  }
}

// Why `device`, which has run ran[device] items, cannot start the next.
Wait FindWait(const StageTable& table, const WorkDag& dag, const Order& order,
              const std::vector<int32_t>& positions,
              const std::vector<int>& ran, int device) {
  Wait wait;
  wait.device = device;
  wait.position = ran[device];
  wait.item = order.programs[device][wait.position];
  for (int a : dag.inputs[TaskOf(wait.item.kind, wait.item.stage)]) {
    const int task = dag.arcs[a].producer;
    wait.producer = ItemOfTask(task, wait.item.micro_batch);
    wait.producer_device = table.stages[task / 3].device;
    wait.producer_position =
        positions[task * static_cast<int64_t>(table.micro_batches) +
                  wait.item.micro_batch];
    if (wait.producer_position < 0) {
      wait.rule = Rule::kItemMissing;
      return wait;
    }
    const WorkItem& found =
        order.programs[wait.producer_device][wait.producer_position];
    if (wait.item.kind == WorkKind::kWeightGradient &&
        found.kind == WorkKind::kBackward) {
      wait.rule = Rule::kBackwardMixed;
      return wait;
    }
    wait.producer = found;
    if (wait.producer_position >= ran[wait.producer_device]) {
      wait.rule =
          wait.producer_device == device ? Rule::kDataFlow : Rule::kDeadlock;
      return wait;
    }
  }
  return wait;
}

std::string Describe(const Wait& wait) {
  std::string text = absl::StrCat(
      "device ", wait.device, " waits for ever at item ", wait.position, ", ",
      ToString(wait.item), ": it needs ", ToString(wait.producer));
  switch (wait.rule) {
    case Rule::kItemMissing:
      return absl::StrCat(text, ", which is in no program");
    case Rule::kBackwardMixed:
      return absl::StrCat(
          text, ", but item ", wait.producer_position, " is ",
          ToString(Backward(wait.producer.stage, wait.producer.micro_batch)),
          ", which includes it");
    case Rule::kDataFlow:
      return absl::StrCat(text, ", which comes later, at item ",
                          wait.producer_position);
    default:
      return absl::StrCat(text, ", item ", wait.producer_position,
                          " of device ", wait.producer_device,
                          ", which in turn waits");
  }
}

// The cause that is nearest to the root: a missing item before a contradiction
// within one program before a cycle over several.
absl::Status ExplainWait(const StageTable& table, const Order& order,
                         const OrderEvaluator& evaluator) {
  const WorkDag dag = BuildWorkDag(table);
  const std::vector<int32_t> positions = PositionsOf(table, order);
  std::vector<int> ran;
  for (int d = 0; d < table.num_devices; ++d) {
    ran.push_back(static_cast<int>(evaluator.Starts(d).size()));
  }
  auto rank = [](const Wait& wait) {
    return wait.rule == Rule::kDeadlock ? 2 : wait.rule == Rule::kDataFlow;
  };
  Wait root;
  bool found = false;
  for (int d = 0; d < table.num_devices; ++d) {
    if (ran[d] == static_cast<int>(order.programs[d].size())) continue;
    const Wait wait = FindWait(table, dag, order, positions, ran, d);
    if (!found || rank(wait) < rank(root)) root = wait;
    found = true;
  }
  return ErrorAt(absl::StatusCode::kInvalidArgument, root.rule,
                 {SubjectKind::kItem, root.device, root.position},
                 Describe(root));
}

// `order` runs to its end.
Timeline SimulateEvents(const StageTable& table, const Order& order) {
  EventSimulator simulator(table, order);
  Timeline timeline;
  timeline.makespan_ns = simulator.Run();
  timeline.start_ns.reserve(table.num_devices);
  for (int d = 0; d < table.num_devices; ++d) {
    const absl::Span<const Nanos> starts = simulator.Starts(d);
    timeline.start_ns.emplace_back(starts.begin(), starts.end());
  }
  return timeline;
}

}  // namespace

absl::StatusOr<Timeline> EvaluateOrder(const StageTable& table,
                                       const Order& order) {
  OrderEvaluator evaluator(table);
  OCTOPIPE_RETURN_IF_ERROR(evaluator.SetOrder(order));
  Timeline timeline;
  timeline.makespan_ns = evaluator.Makespan();
  if (timeline.makespan_ns == OrderEvaluator::kNever) {
    return ExplainWait(table, order, evaluator);
  }
  if (table.HasContention()) return SimulateEvents(table, order);
  timeline.start_ns.reserve(table.num_devices);
  for (int d = 0; d < table.num_devices; ++d) {
    const absl::Span<const Nanos> starts = evaluator.Starts(d);
    timeline.start_ns.emplace_back(starts.begin(), starts.end());
  }
  return timeline;
}

Metrics MeasureTimeline(const StageTable& table, const Order& order,
                        const Timeline& timeline) {
  Metrics metrics;
  metrics.makespan_ns = timeline.makespan_ns;
  metrics.devices.resize(table.num_devices);
  for (int d = 0; d < table.num_devices; ++d) {
    DeviceMetrics& device = metrics.devices[d];
    const MemoryPeak peak = PeakMemory(table, order, d);
    device.static_bytes = table.static_bytes[d];
    device.peak_bytes = peak.bytes;
    device.peak_item = peak.item;
  }
  MeasureBubbles(table, order, timeline, metrics.devices);
  metrics.critical_path = CriticalPath(table, order, timeline);
  return metrics;
}

absl::StatusOr<Metrics> EvaluatePlan(const StageTable& table,
                                     const Order& order) {
  OCTOPIPE_ASSIGN_OR_RETURN(const Timeline timeline,
                            EvaluateOrder(table, order));
  return MeasureTimeline(table, order, timeline);
}

}  // namespace octopipe
