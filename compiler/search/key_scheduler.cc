#include "compiler/search/key_scheduler.h"

#include <algorithm>
#include <utility>

#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

WorkKind KindOf(int task, bool split) {
  switch (static_cast<TaskKind>(task % 3)) {
    case TaskKind::kForward:
      return WorkKind::kForward;
    case TaskKind::kGradient:
      return split ? WorkKind::kInputGradient : WorkKind::kBackward;
    default:
      return WorkKind::kWeightGradient;
  }
}

}  // namespace

bool KeyScheduler::SetTable(const StageTable& table,
                            const std::vector<uint8_t>& split,
                            absl::Span<const Bytes> capacity) {
  micro_batches_ = table.micro_batches;
  num_devices_ = table.num_devices;
  channel_free_.resize(table.num_channels);
  reversed_ = false;
  AddSlots(table, split);
  CollectEdges(table, split);
  AddOutputs();
  FindTails();

  limited_ = std::any_of(capacity.begin(), capacity.end(),
                         [](Bytes bytes) { return bytes != 0; });
  banked_.assign(num_devices_, 0);
  if (!limited_) return true;
  stage_bytes_.clear();
  stage_workspace_.clear();
  for (const StageCost& stage : table.stages) {
    stage_bytes_.push_back(stage.saved_bytes());
    stage_workspace_.push_back(
        std::max(stage.f_workspace_bytes, stage.b_workspace_bytes));
  }
  room_.assign(num_devices_, 0);
  std::vector<std::vector<int>> ops(num_devices_);
  for (int op : OneMicroBatchAlone(
           table, std::vector<bool>(split.begin(), split.end()))) {
    const int d = table.stages[op / 4].device;
    const int task = TaskOf(static_cast<WorkKind>(op % 4), op / 4);
    slots_[slot_of_task_[task]].index = static_cast<int>(ops[d].size());
    ops[d].push_back(op);
  }
  bankers_.clear();
  bankers_.resize(num_devices_);
  for (int d = 0; d < num_devices_; ++d) {
    if (capacity[d] == 0 || ops[d].empty()) continue;
    room_[d] = capacity[d] - table.static_bytes[d];
    bankers_[d].emplace(table, ops[d], room_[d]);
    if (room_[d] < bankers_[d]->NeedOfOne()) return false;
  }
  return true;
}

void KeyScheduler::AddSlots(const StageTable& table,
                            const std::vector<uint8_t>& split) {
  const int stages = table.num_stages();
  devices_.assign(num_devices_, {});
  slots_.clear();
  slot_of_task_.assign(3 * stages, -1);
  durations_.assign(3 * stages, 0);
  for (const StageCost& stage : table.stages) ++devices_[stage.device].slot_end;
  // Count, then place: stages of a device in turn, three tasks each.
  int begin = 0;
  for (DeviceState& device : devices_) {
    const int count = 3 * device.slot_end;
    device.slot_begin = device.slot_end = begin;
    begin += count;
  }
  slots_.resize(begin);
  num_items_ = 0;
  for (int s = 0; s < stages; ++s) {
    DeviceState& device = devices_[table.stages[s].device];
    for (int task = 3 * s; task < 3 * s + 3; ++task) {
      Slot& slot = slots_[device.slot_end];
      slot = {};
      slot.task = task;
      slot.device = table.stages[s].device;
      if (task % 3 != 2 || split[s]) {
        slot_of_task_[task] = device.slot_end;
        slot.duration_ns = DurationOf(table.stages[s], KindOf(task, split[s]));
        durations_[task] = slot.duration_ns;
        num_items_ += micro_batches_;
      }
      device.work_ns += slot.duration_ns * micro_batches_;
      ++device.slot_end;
    }
    const int forward = slot_of_task_[3 * s];
    const int last = slot_of_task_[3 * s + (split[s] ? 2 : 1)];
    slots_[forward].partner = last;
    slots_[last].partner = forward;
  }
}

void KeyScheduler::CollectEdges(const StageTable& table,
                                const std::vector<uint8_t>& split) {
  edges_.clear();
  auto add = [&](int from, int to, int channel, Nanos transfer, Nanos latency) {
    edges_.push_back(
        {slot_of_task_[from], slot_of_task_[to], channel, transfer, latency});
  };
  for (int s = 0; s < table.num_stages(); ++s) {
    const int forward = TaskOf(TaskKind::kForward, s);
    const int gradient = TaskOf(TaskKind::kGradient, s);
    bool has_gradient = false;
    for (int e : table.out_edges[s]) {
      const StageEdge& edge = table.edges[e];
      add(forward, TaskOf(TaskKind::kForward, edge.to), edge.activation_channel,
          edge.activation_transfer_ns, edge.activation_latency_ns);
      has_gradient |= edge.needs_grad;
    }
    if (!has_gradient) add(forward, gradient, -1, 0, 0);
    for (int e : table.in_edges[s]) {
      const StageEdge& edge = table.edges[e];
      if (!edge.needs_grad) continue;
      add(gradient, TaskOf(TaskKind::kGradient, edge.from),
          edge.gradient_channel, edge.gradient_transfer_ns,
          edge.gradient_latency_ns);
    }
    if (split[s]) add(gradient, TaskOf(TaskKind::kWeight, s), -1, 0, 0);
  }
}

void KeyScheduler::AddOutputs() {
  if (reversed_) {
    for (Edge& edge : edges_) std::swap(edge.producer, edge.consumer);
  }
  for (const Edge& edge : edges_) ++slots_[edge.producer].output_end;
  int begin = 0;
  for (Slot& slot : slots_) {
    const int count = slot.output_end;
    slot.output_begin = slot.output_end = begin;
    begin += count;
  }
  outputs_.resize(begin);
  for (const Edge& edge : edges_) {
    outputs_[slots_[edge.producer].output_end++] = {
        edge.consumer, edge.channel, edge.transfer_ns, edge.latency_ns};
    ++slots_[edge.consumer].inputs;
  }
}

void KeyScheduler::SetReversedTable(const StageTable& table,
                                    const std::vector<uint8_t>& split) {
  micro_batches_ = table.micro_batches;
  num_devices_ = table.num_devices;
  channel_free_.resize(table.num_channels);
  reversed_ = true;
  limited_ = false;
  banked_.assign(num_devices_, 0);
  AddSlots(table, split);
  CollectEdges(table, split);
  AddOutputs();
}

void KeyScheduler::FindTails() {
  const int stages = static_cast<int>(slot_of_task_.size()) / 3;
  tails_.assign(slot_of_task_.size(), 0);
  auto find = [&](int task) {
    if (slot_of_task_[task] < 0) return;
    const Slot& slot = slots_[slot_of_task_[task]];
    Nanos behind = 0;
    for (int o = slot.output_begin; o < slot.output_end; ++o) {
      behind =
          std::max(behind, outputs_[o].transfer_ns + outputs_[o].latency_ns +
                               tails_[slots_[outputs_[o].consumer].task]);
    }
    tails_[task] = slot.duration_ns + behind;
  };
  // Gradients flow to lower stages, activations to higher ones.
  for (int s = 0; s < stages; ++s) {
    find(TaskOf(TaskKind::kWeight, s));
    find(TaskOf(TaskKind::kGradient, s));
  }
  for (int s = stages - 1; s >= 0; --s) find(TaskOf(TaskKind::kForward, s));
}

void KeyScheduler::Reset(const SchedulingKeys& keys) {
  keys_ = keys.keys;
  const size_t items = slots_.size() * micro_batches_;
  starts_.assign(items, 0);
  ready_.assign(items, kNever);
  missing_.resize(items);
  next_.assign(slots_.size(), 0);
  head_keys_.resize(slots_.size());
  head_ready_.assign(slots_.size(), kNever);
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  next_decision_.assign(num_devices_, 0);
  steps_.clear();
  SetWindows(keys.windows);
  for (size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    if (slot_of_task_[slot.task] < 0) continue;
    const auto first = s * micro_batches_;
    if (slot.inputs == 0) {
      std::fill_n(ready_.begin() + first, micro_batches_, 0);
    } else if (slot.inputs > 1) {
      std::fill_n(ready_.begin() + first, micro_batches_, 0);
      std::fill_n(missing_.begin() + first, micro_batches_, slot.inputs);
    }
    if (slot.inputs == 0) ShowHead(static_cast<int>(s));
  }
  for (DeviceState& device : devices_) {
    device.busy_until_ns = 0;
    device.first_start_ns = kNever;
    device.work_left_ns = device.work_ns;
  }
  if (std::any_of(banked_.begin(), banked_.end(),
                  [](uint8_t banked) { return banked != 0; })) {
    running_bankers_ = bankers_;
  }
}

void KeyScheduler::SetWindows(absl::Span<const int> windows) {
  window_.assign(slots_.size(), 0);
  for (size_t s = 0; s < windows.size(); ++s) {
    const int forward = slot_of_task_[3 * s];
    window_[reversed_ ? slots_[forward].partner : forward] = windows[s];
  }
  if (!limited_) return;
  in_window_.assign(num_devices_, 0);
  for (int d = 0; d < num_devices_; ++d) {
    Bytes workspace = 0;
    bool bounded = true;
    for (int slot = devices_[d].slot_begin; slot < devices_[d].slot_end;
         slot += 3) {
      const int stage = slots_[slot].task / 3;
      bounded &= window_[slot] > 0 || stage_bytes_[stage] == 0;
      in_window_[d] +=
          stage_bytes_[stage] * std::min(window_[slot], micro_batches_);
      workspace = std::max(workspace, stage_workspace_[stage]);
    }
    banked_[d] = bankers_[d].has_value() &&
                 !(bounded && in_window_[d] + workspace <= room_[d]);
  }
}

std::optional<Nanos> KeyScheduler::Run(const SchedulingKeys& keys,
                                       Nanos limit) {
  Reset(keys);
  for (;;) {
    const auto next =
        std::min_element(next_decision_.begin(), next_decision_.end());
    const Nanos now = *next;
    if (now == kNever) break;
    const int d = static_cast<int>(next - next_decision_.begin());
    Nanos soonest = kNever;
    const int slot = Choose(d, now, keys.patience_ns, &soonest);
    if (slot < 0) {
      *next = soonest;
      continue;
    }
    DeviceState& device = devices_[d];
    if (now + device.work_left_ns >= limit) return std::nullopt;
    Start(slot, now);
    *next = device.busy_until_ns;
  }
  makespan_ns_ = 0;
  if (steps_.size() < num_items_) return std::nullopt;
  for (const DeviceState& device : devices_) {
    makespan_ns_ = std::max(makespan_ns_, device.busy_until_ns);
  }
  if (makespan_ns_ >= limit) return std::nullopt;
  return makespan_ns_;
}

int KeyScheduler::Choose(int d, Nanos now, Nanos patience, Nanos* soonest) {
  const DeviceState& device = devices_[d];
  const Nanos horizon = now + patience;
  refused_.clear();
  for (;;) {
    int best = -1;
    int64_t best_key = std::numeric_limits<int64_t>::max();
    *soonest = kNever;
    for (int s = device.slot_begin; s < device.slot_end; ++s) {
      const Nanos ready = head_ready_[s];
      if (ready > now) *soonest = std::min(*soonest, ready);
      if (ready > horizon || head_keys_[s] >= best_key) continue;
      if (!refused_.empty() &&
          std::find(refused_.begin(), refused_.end(), s) != refused_.end()) {
        continue;
      }
      best = s;
      best_key = head_keys_[s];
    }
    if (best < 0) return -1;
    if (banked_[d] != 0 &&
        !running_bankers_[d]->Admits(slots_[best].index, next_[best])) {
      refused_.push_back(best);
      continue;
    }
    if (head_ready_[best] <= now) return best;
    *soonest = head_ready_[best];
    return -1;
  }
}

void KeyScheduler::Start(int s, Nanos now) {
  const Slot& slot = slots_[s];
  DeviceState& device = devices_[slot.device];
  const int micro_batch = next_[s]++;
  ShowHead(s);
  steps_.push_back({s, micro_batch});
  starts_[slot.task * micro_batches_ + micro_batch] = now;
  if (banked_[slot.device] != 0) {
    running_bankers_[slot.device]->Run(slot.index, micro_batch);
  }
  // The end of one micro-batch lets another in; the device is busy until then.
  if (slot.partner >= 0 && window_[slot.partner] > 0 &&
      next_[slot.partner] == micro_batch + window_[slot.partner]) {
    ShowHead(slot.partner);
  }
  const Nanos end = now + slot.duration_ns;
  device.first_start_ns = std::min(device.first_start_ns, now);
  device.busy_until_ns = end;
  device.work_left_ns -= slot.duration_ns;
  for (int o = slot.output_begin; o < slot.output_end; ++o) {
    const Output& output = outputs_[o];
    Nanos arrival = end;
    if (output.channel >= 0) {
      Nanos& channel = channel_free_[output.channel];
      channel = std::max(channel, end) + output.transfer_ns;
      arrival = channel + output.latency_ns;
    }
    Deliver(output, micro_batch, arrival);
  }
}

void KeyScheduler::Deliver(const Output& output, int micro_batch,
                           Nanos arrival) {
  const int s = output.consumer;
  const Slot& slot = slots_[s];
  const size_t item = static_cast<size_t>(s) * micro_batches_ + micro_batch;
  if (slot.inputs > 1) {
    ready_[item] = std::max(ready_[item], arrival);
    if (--missing_[item] > 0) return;
    arrival = ready_[item];
  } else {
    ready_[item] = arrival;
  }
  if (next_[s] != micro_batch) return;
  ShowHead(s);
  Nanos& decision = next_decision_[slot.device];
  decision = std::min(decision,
                      std::max(arrival, devices_[slot.device].busy_until_ns));
}

void KeyScheduler::ShowHead(int s) {
  const int micro_batch = next_[s];
  head_ready_[s] = kNever;
  if (micro_batch == micro_batches_) return;
  const Slot& slot = slots_[s];
  const size_t item = static_cast<size_t>(s) * micro_batches_ + micro_batch;
  if (slot.inputs > 1 && missing_[item] > 0) return;
  if (window_[s] > 0 && next_[slot.partner] + window_[s] <= micro_batch) return;
  head_ready_[s] = ready_[item];
  head_keys_[s] = keys_[slot.task * micro_batches_ + micro_batch];
}

const std::vector<Nanos>& KeyScheduler::LatestStarts() {
  latest_.assign(starts_.size(), makespan_ns_);
  device_latest_.assign(num_devices_, makespan_ns_);
  // A decision comes after those that it depends on.
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Slot& slot = slots_[step->slot];
    Nanos end = device_latest_[slot.device];
    for (int o = slot.output_begin; o < slot.output_end; ++o) {
      const Output& output = outputs_[o];
      const int consumer = slots_[output.consumer].task;
      end =
          std::min(end, latest_[consumer * micro_batches_ + step->micro_batch] -
                            output.transfer_ns - output.latency_ns);
    }
    const Nanos start = end - slot.duration_ns;
    latest_[slot.task * micro_batches_ + step->micro_batch] = start;
    device_latest_[slot.device] = start;
  }
  return latest_;
}

IdleTime KeyScheduler::MeasureIdleTime() const {
  Nanos most = 0;
  for (const DeviceState& device : devices_) {
    most = std::max(most, device.work_ns);
  }
  IdleTime idle;
  for (const DeviceState& device : devices_) {
    if (device.work_ns == 0) {
      idle.imbalance_ns += makespan_ns_;
      continue;
    }
    const Nanos all = makespan_ns_ - device.work_ns;
    const Nanos ends =
        device.first_start_ns + makespan_ns_ - device.busy_until_ns;
    const Nanos imbalance = std::min(all, most - device.work_ns);
    idle.imbalance_ns += imbalance;
    idle.ends_ns += std::min(ends, all - imbalance);
    idle.inner_ns += std::max<Nanos>(0, all - imbalance - ends);
  }
  return idle;
}

Order KeyScheduler::MakeOrder() const {
  Order order;
  order.programs.resize(num_devices_);
  for (const Step& step : steps_) {
    const Slot& slot = slots_[step.slot];
    const int stage = slot.task / 3;
    const bool split = slot_of_task_[3 * stage + 2] >= 0;
    order.programs[slot.device].push_back(
        {KindOf(slot.task, split), -1, stage, step.micro_batch});
  }
  return order;
}

}  // namespace octopipe
