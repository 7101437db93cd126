#include "compiler/simulator/list_scheduler.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"
#include "compiler/simulator/item_priority.h"
#include "compiler/simulator/memory_banker.h"
#include "compiler/simulator/micro_batch_queue.h"
#include "compiler/simulator/min_tree.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

using Log = absl::FunctionRef<void(const Decision&)>;

// A simulation that makes up the order as it goes. Devices decide in the order
// of time, and at one time by index.
class Scheduler {
 public:
  Scheduler(const StageTable& table, const Policy& policy, const Log* log)
      : table_(table),
        log_(log),
        dag_(BuildWorkDag(table)),
        priority_(table, dag_, policy),
        tasks_(3 * table.num_stages()),
        channel_free_(table.num_channels, 0),
        next_decision_(table.num_devices) {
    std::vector<bool> splits;
    for (int s = 0; s < table.num_stages(); ++s) {
      splits.push_back(SplitsBackward(table, policy, s));
    }
    AddDevices(OneMicroBatchAlone(table, splits));
  }

  absl::Status CheckMemory() const;
  Order Run();

 private:
  // A micro-batch's tensors reach a task.
  struct Arrival {
    Nanos time_ns;
    int32_t task;
    int32_t micro_batch;

    friend bool operator>(const Arrival& a, const Arrival& b) {
      return std::tie(a.time_ns, a.task, a.micro_batch) >
             std::tie(b.time_ns, b.task, b.micro_batch);
    }
  };
  // Inputs of one micro-batch that are still to come, and the last so far.
  struct Gathered {
    int missing = 0;
    Nanos time_ns = 0;
  };
  struct Task {
    int device = 0;
    int index = 0;  // among the device's tasks
    WorkKind kind = WorkKind::kForward;
    Nanos duration_ns = 0;
    bool is_source = false;
    std::vector<WorkArc> outputs;
    MicroBatchQueue ready;
    std::vector<Gathered> gathered;  // empty unless it has several inputs
  };
  struct DeviceState {
    std::vector<int> tasks;
    // The key of each task's oldest ready micro-batch.
    std::optional<MinTree> heads;
    std::vector<Arrival> coming;  // heap, the earliest first
    std::optional<MemoryBanker> banker;
    bool is_idle = false;
    Nanos busy_until_ns = 0;
  };

  void AddDevices(const std::vector<int>& ops);
  void Decide(int device, Nanos now);
  void Start(int device, int task, Nanos now);
  void Deliver(const WorkArc& arc, int micro_batch, Nanos arrival);
  void MakeReady(int task, int micro_batch);
  void ShowHead(const Task& task);
  void Explain(int device, Nanos now, const WorkItem& chosen,
               const std::vector<int>& refused) const;
  WorkItem HeadOf(int task) const {
    return {tasks_[task].kind, -1, task / 3, tasks_[task].ready.Oldest()};
  }

  const StageTable& table_;
  const Log* const log_;
  const WorkDag dag_;
  const ItemPriority priority_;
  std::vector<Task> tasks_;
  std::vector<DeviceState> devices_;
  std::vector<Nanos> channel_free_;
  MinTree next_decision_;
  std::vector<int> refused_;  // scratch of Decide
  Order order_;
};

void Scheduler::AddDevices(const std::vector<int>& ops) {
  devices_.resize(table_.num_devices);
  order_.programs.resize(table_.num_devices);
  std::vector<std::vector<int>> device_ops(table_.num_devices);
  for (int op : ops) {
    const int stage = op / 4;
    const WorkKind kind = static_cast<WorkKind>(op % 4);
    Task& task = tasks_[TaskOf(kind, stage)];
    task.device = table_.stages[stage].device;
    task.index = static_cast<int>(device_ops[task.device].size());
    task.kind = kind;
    task.duration_ns = DurationOf(table_.stages[stage], kind);
    for (int a : dag_.outputs[op]) task.outputs.push_back(dag_.arcs[a]);
    const size_t inputs = dag_.inputs[TaskOf(kind, stage)].size();
    task.is_source = inputs == 0;
    if (inputs > 1) {
      task.gathered.assign(table_.micro_batches, {static_cast<int>(inputs), 0});
    }
    device_ops[task.device].push_back(op);
    devices_[task.device].tasks.push_back(TaskOf(kind, stage));
  }
  for (int d = 0; d < table_.num_devices; ++d) {
    DeviceState& device = devices_[d];
    device.heads.emplace(static_cast<int>(device.tasks.size()));
    if (table_.memory_bytes[d] > 0) {
      device.banker.emplace(table_, device_ops[d],
                            table_.memory_bytes[d] - table_.static_bytes[d]);
    }
    order_.programs[d].reserve(device_ops[d].size() * table_.micro_batches);
  }
}

absl::Status Scheduler::CheckMemory() const {
  std::vector<Finding> findings;
  for (int d = 0; d < table_.num_devices; ++d) {
    if (!devices_[d].banker) continue;
    const Bytes need = table_.static_bytes[d] + devices_[d].banker->NeedOfOne();
    const Bytes memory = table_.memory_bytes[d];
    if (need <= memory) continue;
    findings.push_back(
        {Rule::kMemoryExceeded,
         {SubjectKind::kDevice, d, -1},
         absl::StrCat("one micro-batch alone needs ", need, " bytes on device ",
                      d, " (", table_.static_bytes[d],
                      " of them static), which has ", memory, ": ",
                      need - memory,
                      " missing; give it fewer or smaller stages")});
  }
  return ToStatus(findings);
}

Order Scheduler::Run() {
  for (size_t t = 0; t < tasks_.size(); ++t) {
    if (tasks_[t].is_source) {
      MakeReady(static_cast<int>(t), 0);
    }
  }
  for (int d = 0; d < table_.num_devices; ++d) next_decision_.Set(d, 0);
  while (next_decision_.Min() != MinTree::kNone) {
    Decide(next_decision_.ArgMin(), next_decision_.Min());
  }
  return std::move(order_);
}

void Scheduler::Decide(int d, Nanos now) {
  DeviceState& device = devices_[d];
  while (!device.coming.empty() && device.coming.front().time_ns <= now) {
    const Arrival arrival = device.coming.front();
    std::pop_heap(device.coming.begin(), device.coming.end(), std::greater<>());
    device.coming.pop_back();
    MakeReady(arrival.task, arrival.micro_batch);
  }
  // Of a task only the oldest micro-batch is asked for: where it is refused for
  // the sake of older ones, so are the younger.
  refused_.clear();
  int chosen = -1;
  while (device.heads->Min() != MinTree::kNone) {
    const int index = device.heads->ArgMin();
    const int task = device.tasks[index];
    if (!device.banker ||
        device.banker->Admits(index, tasks_[task].ready.Oldest())) {
      chosen = task;
      break;
    }
    refused_.push_back(task);
    device.heads->Set(index, MinTree::kNone);
  }
  if (chosen >= 0) Start(d, chosen, now);
  for (int task : refused_) ShowHead(tasks_[task]);
  device.is_idle = chosen < 0;
  next_decision_.Set(d, chosen >= 0 ? device.busy_until_ns
                        : device.coming.empty()
                            ? MinTree::kNone
                            : device.coming.front().time_ns);
}

void Scheduler::Start(int d, int t, Nanos now) {
  DeviceState& device = devices_[d];
  Task& task = tasks_[t];
  const WorkItem item = HeadOf(t);
  task.ready.PopOldest();
  if (task.is_source && item.micro_batch + 1 < table_.micro_batches) {
    task.ready.Push(item.micro_batch + 1);
  }
  ShowHead(task);
  if (log_ != nullptr) Explain(d, now, item, refused_);
  order_.programs[d].push_back(item);
  if (device.banker) device.banker->Run(task.index, item.micro_batch);
  const Nanos end = now + task.duration_ns;
  device.busy_until_ns = end;
  device.is_idle = false;
  for (const WorkArc& arc : task.outputs) {
    Nanos arrival = end;
    if (arc.channel >= 0) {
      Nanos& channel = channel_free_[arc.channel];
      channel = std::max(channel, end) + arc.transfer_ns;
      arrival = channel + arc.latency_ns;
    }
    Deliver(arc, item.micro_batch, arrival);
  }
}

void Scheduler::Deliver(const WorkArc& arc, int micro_batch, Nanos arrival) {
  Task& task = tasks_[arc.consumer];
  if (!task.gathered.empty()) {
    Gathered& gathered = task.gathered[micro_batch];
    gathered.time_ns = std::max(gathered.time_ns, arrival);
    if (--gathered.missing > 0) return;
    arrival = gathered.time_ns;
  }
  DeviceState& device = devices_[task.device];
  if (!device.is_idle && arrival <= device.busy_until_ns) {
    MakeReady(arc.consumer, micro_batch);
    return;
  }
  device.coming.push_back({arrival, arc.consumer, micro_batch});
  std::push_heap(device.coming.begin(), device.coming.end(), std::greater<>());
  if (device.is_idle) {
    next_decision_.Set(task.device, device.coming.front().time_ns);
  }
}

void Scheduler::MakeReady(int t, int micro_batch) {
  Task& task = tasks_[t];
  task.ready.Push(micro_batch);
  if (task.ready.Oldest() == micro_batch) ShowHead(task);
}

void Scheduler::ShowHead(const Task& task) {
  DeviceState& device = devices_[task.device];
  device.heads->Set(task.index, task.ready.IsEmpty()
                                    ? MinTree::kNone
                                    : priority_.Key(device.tasks[task.index],
                                                    task.ready.Oldest()));
}

// `chosen` has just been taken from the heads.
void Scheduler::Explain(int d, Nanos now, const WorkItem& chosen,
                        const std::vector<int>& refused) const {
  const DeviceState& device = devices_[d];
  Decision decision;
  decision.time_ns = now;
  decision.device = d;
  decision.chosen = chosen;
  if (!refused.empty()) {
    decision.reason = Decision::Reason::kMemory;
    decision.over = HeadOf(refused.front());
  } else if (device.heads->Min() != MinTree::kNone) {
    const int next = device.tasks[device.heads->ArgMin()];
    decision.over = HeadOf(next);
    const std::optional<TieBreak> rule =
        priority_.Decides(TaskOf(chosen.kind, chosen.stage), chosen.micro_batch,
                          next, decision.over.micro_batch);
    decision.reason = rule ? Decision::Reason::kRule : Decision::Reason::kOrder;
    if (rule) decision.rule = *rule;
  }
  (*log_)(decision);
}

absl::StatusOr<Order> Schedule(const StageTable& table, const Policy& policy,
                               const Log* log) {
  Scheduler scheduler(table, policy, log);
  OCTOPIPE_RETURN_IF_ERROR(scheduler.CheckMemory());
  return scheduler.Run();
}

}  // namespace

absl::StatusOr<Order> ListSchedule(const StageTable& table,
                                   const Policy& policy) {
  return Schedule(table, policy, nullptr);
}

absl::StatusOr<Order> ListScheduleExplained(const StageTable& table,
                                            const Policy& policy, Log log) {
  return Schedule(table, policy, &log);
}

std::string ToString(const Decision& decision) {
  std::string text =
      absl::StrCat(decision.time_ns, " ns, device ", decision.device, ": ",
                   ToString(decision.chosen));
  if (decision.reason == Decision::Reason::kOnlyItem) {
    return absl::StrCat(text, ", the only item");
  }
  absl::StrAppend(&text, " over ", ToString(decision.over), ", ");
  switch (decision.reason) {
    case Decision::Reason::kMemory:
      return absl::StrCat(text,
                          "memory: the other would not leave enough for "
                          "the micro-batches in flight");
    case Decision::Reason::kRule:
      return absl::StrCat(text, TieBreakName(decision.rule), ": ",
                          TieBreakReason(decision.rule));
    default:
      return absl::StrCat(text, "order of kind, stage and micro-batch");
  }
}

}  // namespace octopipe
