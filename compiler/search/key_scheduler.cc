#include "compiler/search/key_scheduler.h"

#include <algorithm>

#include "compiler/simulator/work_dag.h"

namespace octopipe {
void KeyScheduler::SetGraph(const StageTable& table,
                            const std::vector<uint8_t>& split,
                            TaskGraph::Direction direction) {
  graph_.Build(table, split, direction);
  channel_free_.resize(graph_.channels);
  devices_.assign(graph_.devices, {});
  next_decisions_ = MinTree(graph_.devices);
  banked_.assign(graph_.devices, 0);
  limited_ = false;
  for (const TaskGraph::Slot& slot : graph_.slots) {
    devices_[slot.device].work_ns += slot.duration_ns * graph_.micro_batches;
  }
}

void KeyScheduler::SetReversedTable(const StageTable& table,
                                    const std::vector<uint8_t>& split) {
  SetGraph(table, split, TaskGraph::Direction::kReversed);
}

bool KeyScheduler::SetTable(const StageTable& table,
                            const std::vector<uint8_t>& split,
                            absl::Span<const Bytes> capacity) {
  SetGraph(table, split, TaskGraph::Direction::kForward);
  FindTails();
  limited_ = std::any_of(capacity.begin(), capacity.end(),
                         [](Bytes bytes) { return bytes != 0; });
  if (!limited_) return true;
  stage_bytes_.clear();
  stage_workspace_.clear();
  for (const StageCost& stage : table.stages) {
    stage_bytes_.push_back(stage.saved_bytes());
    stage_workspace_.push_back(
        std::max(stage.f_workspace_bytes, stage.b_workspace_bytes));
  }
  room_.assign(graph_.devices, 0);
  index_.assign(graph_.slots.size(), 0);
  std::vector<std::vector<int>> ops(graph_.devices);
  for (int op : OneMicroBatchAlone(
           table, std::vector<bool>(split.begin(), split.end()))) {
    const int d = table.stages[op / 4].device;
    const int task = TaskOf(static_cast<WorkKind>(op % 4), op / 4);
    index_[graph_.slot_of_task[task]] = static_cast<int>(ops[d].size());
    ops[d].push_back(op);
  }
  bankers_.clear();
  bankers_.resize(graph_.devices);
  for (int d = 0; d < graph_.devices; ++d) {
    if (capacity[d] == 0 || ops[d].empty()) continue;
    room_[d] = capacity[d] - table.static_bytes[d];
    bankers_[d].emplace(table, ops[d], room_[d]);
    if (room_[d] < bankers_[d]->NeedOfOne()) return false;
  }
  return true;
}

void KeyScheduler::FindTails() {
  const int stages = static_cast<int>(graph_.slot_of_task.size()) / 3;
  tails_.assign(graph_.slot_of_task.size(), 0);
  auto find = [&](int task) {
    if (graph_.slot_of_task[task] < 0) return;
    const TaskGraph::Slot& slot = graph_.slots[graph_.slot_of_task[task]];
    Nanos behind = 0;
    for (int o = slot.output_begin; o < slot.output_end; ++o) {
      behind = std::max(
          behind, graph_.outputs[o].transfer_ns + graph_.outputs[o].latency_ns +
                      tails_[graph_.slots[graph_.outputs[o].consumer].task]);
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
  exact_ = keys.exact;
  const size_t items = graph_.slots.size() * graph_.micro_batches;
  starts_.assign(items, 0);
  ready_.assign(items, kNever);
  missing_.resize(items);
  next_.assign(graph_.slots.size(), 0);
  head_keys_.resize(graph_.slots.size());
  head_ready_.assign(graph_.slots.size(), kNever);
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  for (int d = 0; d < graph_.devices; ++d) next_decisions_.Set(d, 0);
  steps_.clear();
  SetWindows(keys.windows);
  for (size_t s = 0; s < graph_.slots.size(); ++s) {
    const TaskGraph::Slot& slot = graph_.slots[s];
    if (graph_.slot_of_task[slot.task] < 0) continue;
    const auto first = s * graph_.micro_batches;
    if (slot.inputs == 0) {
      std::fill_n(ready_.begin() + first, graph_.micro_batches, 0);
    } else if (slot.inputs > 1) {
      std::fill_n(ready_.begin() + first, graph_.micro_batches, 0);
      std::fill_n(missing_.begin() + first, graph_.micro_batches, slot.inputs);
    }
    if (slot.inputs == 0) ShowHead(static_cast<int>(s));
  }
  for (DeviceState& device : devices_) {
    device.busy_until_ns = 0;
    device.first_start_ns = kNever;
    device.work_left_ns = device.work_ns;
    device.held_bytes = 0;
  }
  if (exact_) std::fill(banked_.begin(), banked_.end(), 0);
  if (std::any_of(banked_.begin(), banked_.end(),
                  [](uint8_t banked) { return banked != 0; })) {
    running_bankers_ = bankers_;
  }
}

void KeyScheduler::SetWindows(absl::Span<const int> windows) {
  window_.assign(graph_.slots.size(), 0);
  for (size_t s = 0; s < windows.size(); ++s) {
    const int forward = graph_.slot_of_task[3 * s];
    const int partner = graph_.slots[forward].partner;
    window_[graph_.slots[forward].begins ? forward : partner] = windows[s];
  }
  if (!limited_) return;
  in_window_.assign(graph_.devices, 0);
  for (int d = 0; d < graph_.devices; ++d) {
    Bytes workspace = 0;
    bool bounded = true;
    for (int slot = graph_.device_begin[d]; slot < graph_.device_begin[d + 1];
         slot += 3) {
      const int stage = graph_.slots[slot].task / 3;
      bounded &= window_[slot] > 0 || stage_bytes_[stage] == 0;
      in_window_[d] +=
          stage_bytes_[stage] * std::min(window_[slot], graph_.micro_batches);
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
    const Nanos now = static_cast<Nanos>(next_decisions_.Min());
    if (now == kNever) break;
    const int d = next_decisions_.ArgMin();
    Nanos soonest = kNever;
    const int slot = exact_ ? ChooseExact(d, now, &soonest)
                            : Choose(d, now, keys.patience_ns, &soonest);
    if (slot < 0) {
      next_decisions_.Set(d, soonest);
      continue;
    }
    DeviceState& device = devices_[d];
    if (now + device.work_left_ns >= limit) return std::nullopt;
    Start(slot, now);
    next_decisions_.Set(d, device.busy_until_ns);
  }
  makespan_ns_ = 0;
  if (steps_.size() < graph_.items) return std::nullopt;
  for (const DeviceState& device : devices_) {
    makespan_ns_ = std::max(makespan_ns_, device.busy_until_ns);
  }
  if (makespan_ns_ >= limit) return std::nullopt;
  return makespan_ns_;
}

int KeyScheduler::Choose(int d, Nanos now, Nanos patience, Nanos* soonest) {
  const int begin = graph_.device_begin[d], end = graph_.device_begin[d + 1];
  const Nanos horizon = now + patience;
  refused_.clear();
  for (;;) {
    int best = -1;
    int64_t best_key = std::numeric_limits<int64_t>::max();
    *soonest = kNever;
    for (int s = begin; s < end; ++s) {
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
        !running_bankers_[d]->Admits(index_[best], next_[best])) {
      refused_.push_back(best);
      continue;
    }
    if (head_ready_[best] <= now) return best;
    *soonest = head_ready_[best];
    return -1;
  }
}

int KeyScheduler::ChooseExact(int d, Nanos now, Nanos* soonest) {
  int best = -1;
  int64_t best_key = std::numeric_limits<int64_t>::max();
  for (int s = graph_.device_begin[d]; s < graph_.device_begin[d + 1]; ++s) {
    const TaskGraph::Slot& slot = graph_.slots[s];
    if (!slot.used || next_[s] == graph_.micro_batches) continue;
    const int64_t key = keys_[slot.task * graph_.micro_batches + next_[s]];
    if (best >= 0 && key >= best_key) continue;
    best = s;
    best_key = key;
  }
  *soonest = kNever;
  if (best < 0) return -1;
  // What does not fit now never will: nothing else may run before it.
  if (limited_ && bankers_[d] &&
      devices_[d].held_bytes + graph_.slots[best].rise_bytes > room_[d]) {
    return -1;
  }
  if (head_ready_[best] <= now) return best;
  *soonest = head_ready_[best];
  return -1;
}

void KeyScheduler::Start(int s, Nanos now) {
  const TaskGraph::Slot& slot = graph_.slots[s];
  DeviceState& device = devices_[slot.device];
  const int micro_batch = next_[s]++;
  ShowHead(s);
  steps_.push_back({s, micro_batch});
  starts_[slot.task * graph_.micro_batches + micro_batch] = now;
  if (banked_[slot.device] != 0) {
    running_bankers_[slot.device]->Run(index_[s], micro_batch);
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
  device.held_bytes += slot.kept_bytes;
  for (int o = slot.output_begin; o < slot.output_end; ++o) {
    const TaskGraph::Output& output = graph_.outputs[o];
    Nanos arrival = end;
    if (output.channel >= 0) {
      Nanos& channel = channel_free_[output.channel];
      channel = std::max(channel, end) + output.transfer_ns;
      arrival = channel + output.latency_ns;
    }
    Deliver(output, micro_batch, arrival);
  }
}

void KeyScheduler::Deliver(const TaskGraph::Output& output, int micro_batch,
                           Nanos arrival) {
  const int s = output.consumer;
  const TaskGraph::Slot& slot = graph_.slots[s];
  const size_t item =
      static_cast<size_t>(s) * graph_.micro_batches + micro_batch;
  if (slot.inputs > 1) {
    ready_[item] = std::max(ready_[item], arrival);
    if (--missing_[item] > 0) return;
    arrival = ready_[item];
  } else {
    ready_[item] = arrival;
  }
  if (next_[s] != micro_batch) return;
  ShowHead(s);
  const uint64_t decision =
      std::max(arrival, devices_[slot.device].busy_until_ns);
  if (decision < next_decisions_.Get(slot.device)) {
    next_decisions_.Set(slot.device, decision);
  }
}

void KeyScheduler::ShowHead(int s) {
  const int micro_batch = next_[s];
  head_ready_[s] = kNever;
  if (micro_batch == graph_.micro_batches) return;
  const TaskGraph::Slot& slot = graph_.slots[s];
  const size_t item =
      static_cast<size_t>(s) * graph_.micro_batches + micro_batch;
  if (slot.inputs > 1 && missing_[item] > 0) return;
  if (window_[s] > 0 && next_[slot.partner] + window_[s] <= micro_batch) return;
  head_ready_[s] = ready_[item];
  head_keys_[s] = keys_[slot.task * graph_.micro_batches + micro_batch];
}

const std::vector<Nanos>& KeyScheduler::LatestStarts() {
  latest_.assign(starts_.size(), makespan_ns_);
  device_latest_.assign(graph_.devices, makespan_ns_);
  // A decision comes after those that it depends on.
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const TaskGraph::Slot& slot = graph_.slots[step->slot];
    Nanos end = device_latest_[slot.device];
    for (int o = slot.output_begin; o < slot.output_end; ++o) {
      const TaskGraph::Output& output = graph_.outputs[o];
      const int consumer = graph_.slots[output.consumer].task;
      end = std::min(
          end, latest_[consumer * graph_.micro_batches + step->micro_batch] -
                   output.transfer_ns - output.latency_ns);
    }
    const Nanos start = end - slot.duration_ns;
    latest_[slot.task * graph_.micro_batches + step->micro_batch] = start;
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

void KeyScheduler::GetOrderKeys(std::vector<int64_t>* keys) const {
  keys->assign(starts_.begin(), starts_.end());
  std::vector<int64_t> last(graph_.devices, -1);
  for (const Step& step : steps_) {
    const TaskGraph::Slot& slot = graph_.slots[step.slot];
    int64_t& key = (*keys)[slot.task * graph_.micro_batches + step.micro_batch];
    key = std::max(key, last[slot.device] + 1);
    last[slot.device] = key;
  }
}

Order KeyScheduler::MakeOrder() const {
  Order order;
  order.programs.resize(graph_.devices);
  for (const Step& step : steps_) {
    const TaskGraph::Slot& slot = graph_.slots[step.slot];
    order.programs[slot.device].push_back(
        {graph_.KindOf(slot), -1, slot.task / 3, step.micro_batch});
  }
  return order;
}

}  // namespace octopipe
