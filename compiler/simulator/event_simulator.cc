#include "compiler/simulator/event_simulator.h"

#include <algorithm>
#include <utility>

namespace octopipe {
namespace {

constexpr Nanos kUnset = -1;
constexpr int64_t kNoSlot = -1;
constexpr int64_t kMillion = 1'000'000;

absl::uint128 Stretched(absl::uint128 value, int64_t ppm) {
  return (value * ppm + kMillion / 2) / kMillion;
}

// The channels that arcs use, by index into Problem::links, ascending.
std::vector<int> UsedChannels(const WorkDag& dag) {
  std::vector<int> used;
  for (const WorkArc& arc : dag.arcs) {
    if (arc.channel >= 0) used.push_back(arc.channel);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

int PlaceOf(const std::vector<int>& used, int channel) {
  return static_cast<int>(std::lower_bound(used.begin(), used.end(), channel) -
                          used.begin());
}

PortNetwork MakeNetwork(const StageTable& table, const WorkDag& dag) {
  const std::vector<int> used = UsedChannels(dag);
  std::vector<PortNetwork::Channel> channels(used.size());
  std::vector<int64_t> ports;
  for (const SharedPort& port : table.shared_ports) {
    for (const SharedPort::Channel& channel : port.channels) {
      channels[PlaceOf(used, channel.channel)] = {
          static_cast<int>(ports.size()), channel.bytes_per_us};
    }
    ports.push_back(port.bytes_per_us);
  }
  return PortNetwork(std::move(channels), ports);
}

}  // namespace

EventSimulator::EventSimulator(const StageTable& table, const Order& order)
    : table_(table),
      order_(order),
      dag_(BuildWorkDag(table)),
      outputs_(4 * table.num_stages()),
      channels_(UsedChannels(dag_).size()),
      network_(MakeNetwork(table, dag_)),
      devices_(table.num_devices),
      message_starts_(dag_.arcs.size() * table.micro_batches),
      arrivals_(message_starts_.size()),
      next_(table.num_devices + static_cast<int>(channels_.size())) {
  int64_t items = 0;
  for (int d = 0; d < table.num_devices; ++d) {
    devices_[d].begin = items;
    items += static_cast<int64_t>(order.programs[d].size());
  }
  starts_.resize(items);
  ends_.resize(items);
  AddOutputs();
}

void EventSimulator::AddOutputs() {
  const std::vector<int> used = UsedChannels(dag_);
  for (size_t op = 0; op < outputs_.size(); ++op) {
    for (int a : dag_.outputs[op]) {
      const WorkArc& arc = dag_.arcs[a];
      Output output;
      output.slots = a * static_cast<int64_t>(table_.micro_batches);
      output.consumer_device = arc.consumer_device;
      if (arc.channel >= 0) {
        output.channel = PlaceOf(used, arc.channel);
        output.latency_ns = arc.latency_ns;
        output.work =
            network_.WorkOf(output.channel, arc.bytes, arc.transfer_ns);
      }
      outputs_[op].push_back(output);
    }
  }
}

absl::Span<const Nanos> EventSimulator::Starts(int device) const {
  return absl::MakeConstSpan(starts_).subspan(devices_[device].begin,
                                              order_.programs[device].size());
}

absl::Span<const Nanos> EventSimulator::Ends(int device) const {
  return absl::MakeConstSpan(ends_).subspan(devices_[device].begin,
                                            order_.programs[device].size());
}

Nanos EventSimulator::Run(const Stretch* stretch) {
  stretch_ = stretch;
  std::fill(message_starts_.begin(), message_starts_.end(), kUnset);
  std::fill(arrivals_.begin(), arrivals_.end(), kUnset);
  for (int d = 0; d < table_.num_devices; ++d) {
    devices_[d].cursor = 0;
    Advance(d, 0);
  }
  while (next_.Min() != MinTree::kNone) {
    const Nanos now = static_cast<Nanos>(next_.Min());
    while (next_.Min() == static_cast<uint64_t>(now)) {
      Fire(next_.ArgMin(), now);
    }
    Settle(now);
  }
  for (int d = 0; d < table_.num_devices; ++d) {
    if (devices_[d].cursor < order_.programs[d].size()) return kNever;
  }
  return ends_.empty() ? 0 : *std::max_element(ends_.begin(), ends_.end());
}

void EventSimulator::Fire(int event, Nanos now) {
  next_.Set(event, MinTree::kNone);
  if (event >= table_.num_devices) {
    EndMessage(event - table_.num_devices, now);
  } else if (devices_[event].is_running) {
    EndItem(event, now);
  } else {
    StartItem(event, now);
  }
}

void EventSimulator::Advance(int d, Nanos now) {
  DeviceState& device = devices_[d];
  device.waiting_for = kNoSlot;
  if (device.cursor == order_.programs[d].size()) return;
  const WorkItem& item = order_.programs[d][device.cursor];
  Nanos start = now;
  for (int a : dag_.inputs[TaskOf(item.kind, item.stage)]) {
    const int64_t slot =
        a * static_cast<int64_t>(table_.micro_batches) + item.micro_batch;
    if (arrivals_[slot] == kUnset) {
      device.waiting_for = slot;
      return;
    }
    start = std::max(start, arrivals_[slot]);
  }
  next_.Set(d, start);
}

void EventSimulator::StartItem(int d, Nanos now) {
  DeviceState& device = devices_[d];
  const WorkItem& item = order_.programs[d][device.cursor];
  const int64_t index = device.begin + static_cast<int64_t>(device.cursor);
  Nanos duration = DurationOf(table_.stages[item.stage], item.kind);
  if (stretch_ != nullptr) {
    duration =
        static_cast<Nanos>(Stretched(duration, stretch_->items_ppm[index]));
  }
  starts_[index] = now;
  device.is_running = true;
  next_.Set(d, now + duration);
}

void EventSimulator::EndItem(int d, Nanos now) {
  DeviceState& device = devices_[d];
  const WorkItem& item = order_.programs[d][device.cursor];
  ends_[device.begin + device.cursor] = now;
  device.is_running = false;
  ++device.cursor;
  for (const Output& output : outputs_[OpOf(item.kind, item.stage)]) {
    if (output.channel < 0) {
      message_starts_[output.slots + item.micro_batch] = now;
      SetArrival(output, item.micro_batch, now, now);
      continue;
    }
    std::deque<Pending>& messages = channels_[output.channel].messages;
    messages.push_back({&output, item.micro_batch});
    if (messages.size() == 1) StartMessage(output.channel, now);
  }
  Advance(d, now);
}

void EventSimulator::StartMessage(int channel, Nanos now) {
  const Pending& message = channels_[channel].messages.front();
  const int64_t slot = message.output->slots + message.micro_batch;
  absl::uint128 work = message.output->work;
  if (stretch_ != nullptr) {
    work = Stretched(work, stretch_->messages_ppm[slot]);
  }
  message_starts_[slot] = now;
  network_.Begin(channel, work, now);
  if (work == 0) next_.Set(EventOf(channel), now);
}

void EventSimulator::EndMessage(int channel, Nanos now) {
  std::deque<Pending>& messages = channels_[channel].messages;
  const Pending message = messages.front();
  messages.pop_front();
  network_.End(channel);
  if (!messages.empty()) StartMessage(channel, now);
  Nanos latency = message.output->latency_ns;
  if (stretch_ != nullptr) {
    const int64_t slot = message.output->slots + message.micro_batch;
    latency =
        static_cast<Nanos>(Stretched(latency, stretch_->messages_ppm[slot]));
  }
  SetArrival(*message.output, message.micro_batch, now + latency, now);
}

void EventSimulator::SetArrival(const Output& output, int micro_batch,
                                Nanos arrival, Nanos now) {
  const int64_t slot = output.slots + micro_batch;
  arrivals_[slot] = arrival;
  const int consumer = output.consumer_device;
  if (devices_[consumer].waiting_for == slot) Advance(consumer, now);
}

void EventSimulator::Settle(Nanos now) {
  for (int c : network_.Settle(now)) {
    next_.Set(EventOf(c), static_cast<uint64_t>(network_.EndOf(c)));
  }
}

}  // namespace octopipe
