#include "compiler/simulator/order_evaluator.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

constexpr Nanos kUnset = -1;
constexpr int64_t kNoSlot = -1;

absl::Status ItemError(Rule rule, int device, size_t position,
                       const std::string& what) {
  return ErrorAt(
      absl::StatusCode::kInvalidArgument, rule,
      {SubjectKind::kItem, device, static_cast<int64_t>(position)},
      absl::StrCat("device ", device, ", item ", position, ": ", what));
}

}  // namespace

OrderEvaluator::OrderEvaluator(const StageTable& table)
    : micro_batches_(table.micro_batches),
      ops_(4 * table.num_stages()),
      devices_(table.num_devices),
      channel_free_(table.num_channels, 0) {
  const WorkDag dag = BuildWorkDag(table);
  for (int s = 0; s < table.num_stages(); ++s) {
    stage_device_.push_back(table.stages[s].device);
    for (WorkKind kind : {WorkKind::kForward, WorkKind::kInputGradient,
                          WorkKind::kWeightGradient, WorkKind::kBackward}) {
      Op& op = ops_[OpOf(kind, s)];
      op.duration_ns = DurationOf(table.stages[s], kind);
      op.input_begin = inputs_.size();
      for (int a : dag.inputs[TaskOf(kind, s)]) {
        inputs_.push_back(a * micro_batches_);
      }
      op.input_end = inputs_.size();
      op.output_begin = outputs_.size();
      for (int a : dag.outputs[OpOf(kind, s)]) {
        const WorkArc& arc = dag.arcs[a];
        outputs_.push_back({a * micro_batches_, arc.transfer_ns, arc.latency_ns,
                            arc.channel, arc.consumer_device});
      }
      op.output_end = outputs_.size();
    }
  }
  arrivals_.assign(dag.arcs.size() * micro_batches_, kUnset);
  runnable_.reserve(devices_.size());
}

absl::Status OrderEvaluator::CheckItem(int device, size_t position,
                                       const WorkItem& item) {
  if (!IsCompute(item.kind)) {
    return ItemError(
        Rule::kItemInvalid, device, position,
        absl::StrCat(ToString(item), " is a transfer; expected F, B, W or BW"));
  }
  const int stages = static_cast<int>(stage_device_.size());
  if (item.stage < 0 || item.stage >= stages) {
    return ItemError(Rule::kItemInvalid, device, position,
                     absl::StrCat(ToString(item), " names stage ", item.stage,
                                  "; expected 0 to ", stages - 1));
  }
  if (item.micro_batch < 0 || item.micro_batch >= micro_batches_) {
    return ItemError(
        Rule::kItemInvalid, device, position,
        absl::StrCat(ToString(item), " names micro-batch ", item.micro_batch,
                     "; expected 0 to ", micro_batches_ - 1));
  }
  if (stage_device_[item.stage] != device) {
    return ItemError(Rule::kItemOnWrongDevice, device, position,
                     absl::StrCat(ToString(item), " belongs on device ",
                                  stage_device_[item.stage]));
  }
  const size_t task =
      TaskOf(item.kind, item.stage) * micro_batches_ + item.micro_batch;
  if (present_[task]) {
    return ItemError(
        Rule::kItemRepeated, device, position,
        absl::StrCat(ToString(item),
                     " does work that an item before it has done"));
  }
  present_[task] = true;
  return absl::OkStatus();
}

absl::Status OrderEvaluator::SetOrder(const Order& order) {
  items_.clear();
  for (DeviceState& device : devices_) device = DeviceState();
  Restart();
  if (order.programs.size() != devices_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected one program for each of ", devices_.size(),
                     " devices, got ", order.programs.size()));
  }
  size_t total = 0;
  present_.assign(3 * stage_device_.size() * micro_batches_, false);
  for (size_t d = 0; d < devices_.size(); ++d) {
    const std::vector<WorkItem>& program = order.programs[d];
    total += program.size();
    for (size_t i = 0; i < program.size(); ++i) {
      OCTOPIPE_RETURN_IF_ERROR(CheckItem(static_cast<int>(d), i, program[i]));
    }
  }
  items_.reserve(total);
  for (size_t d = 0; d < devices_.size(); ++d) {
    devices_[d].begin = static_cast<int64_t>(items_.size());
    for (const WorkItem& item : order.programs[d]) {
      items_.push_back({static_cast<uint32_t>(OpOf(item.kind, item.stage)),
                        static_cast<uint32_t>(item.micro_batch)});
    }
    devices_[d].end = static_cast<int64_t>(items_.size());
  }
  starts_.resize(items_.size());
  Restart();
  return absl::OkStatus();
}

void OrderEvaluator::Restart() {
  for (DeviceState& device : devices_) {
    device.cursor = device.begin;
    device.clock_ns = 0;
    device.work_left_ns = 0;
    for (int64_t i = device.begin; i < device.end; ++i) {
      device.work_left_ns += ops_[items_[i].op].duration_ns;
    }
  }
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  std::fill(arrivals_.begin(), arrivals_.end(), kUnset);
}

void OrderEvaluator::MoveItem(int device, int from, int to) {
  if (from == to) return;
  RewindBefore(device, std::min(from, to));
  const auto program = items_.begin() + devices_[device].begin;
  if (from < to) {
    std::rotate(program + from, program + from + 1, program + to + 1);
  } else {
    std::rotate(program + to, program + from, program + from + 1);
  }
}

void OrderEvaluator::SwapItems(int device, int a, int b) {
  if (a == b) return;
  RewindBefore(device, std::min(a, b));
  const auto program = items_.begin() + devices_[device].begin;
  std::swap(program[a], program[b]);
}

void OrderEvaluator::SetStageCosts(int stage, const StageCost& cost) {
  for (WorkKind kind : {WorkKind::kForward, WorkKind::kInputGradient,
                        WorkKind::kWeightGradient, WorkKind::kBackward}) {
    ops_[OpOf(kind, stage)].duration_ns = DurationOf(cost, kind);
  }
  Restart();
}

// The items that an edit can touch start at or after `time`, the end of the
// item before the first that changes, in the old order as in the new. Whatever
// depends on them starts no earlier. So what started before `time` stands.
void OrderEvaluator::RewindBefore(int device, int position) {
  const int64_t first = devices_[device].begin + position;
  if (first >= devices_[device].cursor) return;
  if (position == 0) {
    Restart();
    return;
  }
  const Nanos time = EndOf(first - 1);
  for (DeviceState& state : devices_) {
    const auto begin = starts_.begin() + state.begin;
    const auto end = starts_.begin() + state.cursor;
    RewindTo(state, std::lower_bound(begin, end, time) - starts_.begin(), time);
  }
}

// Undoes what `device` ran from `position` on, all of it at or after `time`.
void OrderEvaluator::RewindTo(DeviceState& device, int64_t position,
                              Nanos time) {
  // Channels that were free by `time` may keep their value: all that is still
  // to be sent is ready no earlier. The others get that of their last message
  // before the cursor.
  int busy_channels = 0;
  for (int64_t i = device.cursor - 1; i >= position; --i) {
    const Op& op = ops_[items_[i].op];
    device.work_left_ns += op.duration_ns;
    for (uint32_t o = op.output_begin; o < op.output_end; ++o) {
      const Output& output = outputs_[o];
      arrivals_[output.slots + items_[i].micro_batch] = kUnset;
      if (output.channel >= 0 && channel_free_[output.channel] > time) {
        channel_free_[output.channel] = kUnset;
        ++busy_channels;
      }
    }
  }
  for (int64_t i = position - 1; i >= device.begin && busy_channels > 0; --i) {
    const Op& op = ops_[items_[i].op];
    for (uint32_t o = op.output_end; o > op.output_begin; --o) {
      const Output& output = outputs_[o - 1];
      if (output.channel < 0 || channel_free_[output.channel] != kUnset) {
        continue;
      }
      channel_free_[output.channel] =
          arrivals_[output.slots + items_[i].micro_batch] - output.latency_ns;
      --busy_channels;
    }
  }
  device.cursor = position;
  device.clock_ns = position == device.begin ? 0 : EndOf(position - 1);
}

Nanos OrderEvaluator::Makespan() { return Run(kNever) ? End() : kNever; }

std::optional<Nanos> OrderEvaluator::MakespanIfBelow(Nanos limit) {
  if (!Run(limit)) return std::nullopt;
  return End();
}

Nanos OrderEvaluator::End() const {
  Nanos end = 0;
  for (const DeviceState& device : devices_) {
    end = std::max(end, device.clock_ns);
  }
  return end;
}

// Runs what can run. False if something cannot or if a device cannot end before
// `limit`.
bool OrderEvaluator::Run(Nanos limit) {
  runnable_.clear();
  for (size_t d = devices_.size(); d-- > 0;) {
    devices_[d].waiting_for = kNoSlot;
    runnable_.push_back(static_cast<int>(d));
  }
  while (!runnable_.empty()) {
    DeviceState& device = devices_[runnable_.back()];
    runnable_.pop_back();
    RunDevice(device);
    if (device.clock_ns + device.work_left_ns >= limit) return false;
  }
  return std::all_of(
      devices_.begin(), devices_.end(),
      [](const DeviceState& device) { return device.cursor == device.end; });
}

// Runs `device` until it has ended or waits, and makes runnable whom it wakes.
void OrderEvaluator::RunDevice(DeviceState& device) {
  const Item* const items = items_.data();
  const Op* const ops = ops_.data();
  const int64_t* const inputs = inputs_.data();
  const Output* const outputs = outputs_.data();
  Nanos* const arrivals = arrivals_.data();
  Nanos* const starts = starts_.data();
  const int64_t end = device.end;
  int64_t position = device.cursor;
  Nanos clock = device.clock_ns;
  Nanos work_left = device.work_left_ns;
  for (; position < end; ++position) {
    const Item item = items[position];
    const Op& op = ops[item.op];
    Nanos start = clock;
    int64_t missing = kNoSlot;
    for (uint32_t i = op.input_begin; i < op.input_end; ++i) {
      const int64_t slot = inputs[i] + item.micro_batch;
      const Nanos arrival = arrivals[slot];
      if (arrival == kUnset) {
        missing = slot;
        break;
      }
      start = std::max(start, arrival);
    }
    if (missing != kNoSlot) {
      device.waiting_for = missing;
      break;
    }
    starts[position] = start;
    clock = start + op.duration_ns;
    work_left -= op.duration_ns;
    for (uint32_t o = op.output_begin; o < op.output_end; ++o) {
      const Output& output = outputs[o];
      const int64_t slot = output.slots + item.micro_batch;
      Nanos arrival = clock;
      if (output.channel >= 0) {
        Nanos& channel = channel_free_[output.channel];
        channel = std::max(channel, clock) + output.transfer_ns;
        arrival = channel + output.latency_ns;
      }
      arrivals[slot] = arrival;
      DeviceState& consumer = devices_[output.device];
      if (consumer.waiting_for == slot) {
        consumer.waiting_for = kNoSlot;
        runnable_.push_back(output.device);
      }
    }
  }
  device.cursor = position;
  device.clock_ns = clock;
  device.work_left_ns = work_left;
}

}  // namespace octopipe
