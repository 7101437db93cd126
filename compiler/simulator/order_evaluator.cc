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
    : num_devices_(table.num_devices),
      micro_batches_(table.micro_batches),
      ops_(4 * table.num_stages()),
      begin_(table.num_devices + 1, 0),
      channel_free_(table.num_channels, 0),
      cursor_(table.num_devices, 0),
      clock_(table.num_devices, 0),
      work_(table.num_devices, 0),
      work_done_(table.num_devices, 0),
      waiting_for_(table.num_devices, kNoSlot) {
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
  runnable_.reserve(num_devices_);
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
  Clear();
  if (static_cast<int>(order.programs.size()) != num_devices_) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected one program for each of ", num_devices_,
                     " devices, got ", order.programs.size()));
  }
  present_.assign(3 * stage_device_.size() * micro_batches_, false);
  for (int d = 0; d < num_devices_; ++d) {
    const std::vector<WorkItem>& program = order.programs[d];
    for (size_t i = 0; i < program.size(); ++i) {
      OCTOPIPE_RETURN_IF_ERROR(CheckItem(d, i, program[i]));
    }
  }
  size_t total = 0;
  for (const auto& program : order.programs) total += program.size();
  items_.reserve(total);
  for (int d = 0; d < num_devices_; ++d) {
    for (const WorkItem& item : order.programs[d]) {
      const int op = OpOf(item.kind, item.stage);
      items_.push_back(
          {static_cast<uint32_t>(op), static_cast<uint32_t>(item.micro_batch)});
      work_[d] += ops_[op].duration_ns;
    }
    begin_[d + 1] = static_cast<int64_t>(items_.size());
    cursor_[d] = begin_[d];
  }
  starts_.resize(items_.size());
  return absl::OkStatus();
}

void OrderEvaluator::Clear() {
  items_.clear();
  std::fill(begin_.begin(), begin_.end(), 0);
  std::fill(work_.begin(), work_.end(), 0);
  Restart();
}

void OrderEvaluator::Restart() {
  for (int d = 0; d < num_devices_; ++d) {
    cursor_[d] = begin_[d];
    clock_[d] = 0;
    work_done_[d] = 0;
  }
  std::fill(channel_free_.begin(), channel_free_.end(), 0);
  std::fill(arrivals_.begin(), arrivals_.end(), kUnset);
}

void OrderEvaluator::MoveItem(int device, int from, int to) {
  if (from == to) return;
  RewindBefore(device, std::min(from, to));
  const auto program = items_.begin() + begin_[device];
  if (from < to) {
    std::rotate(program + from, program + from + 1, program + to + 1);
  } else {
    std::rotate(program + to, program + from, program + from + 1);
  }
}

void OrderEvaluator::SwapItems(int device, int a, int b) {
  if (a == b) return;
  RewindBefore(device, std::min(a, b));
  std::swap(items_[begin_[device] + a], items_[begin_[device] + b]);
}

void OrderEvaluator::SetStageCosts(int stage, const StageCost& cost) {
  Rewind(0);
  for (WorkKind kind : {WorkKind::kForward, WorkKind::kInputGradient,
                        WorkKind::kWeightGradient, WorkKind::kBackward}) {
    ops_[OpOf(kind, stage)].duration_ns = DurationOf(cost, kind);
  }
  const int device = stage_device_[stage];
  work_[device] = 0;
  for (int64_t i = begin_[device]; i < begin_[device + 1]; ++i) {
    work_[device] += ops_[items_[i].op].duration_ns;
  }
}

// The items that an edit can touch start at or after `time`, the end of the
// item before the first that changes, in the old order as in the new. Whatever
// depends on them starts no earlier. So what started before `time` stands.
void OrderEvaluator::RewindBefore(int device, int position) {
  const int64_t first = begin_[device] + position;
  if (first >= cursor_[device]) return;
  Nanos time = 0;
  if (position > 0) {
    time = starts_[first - 1] + ops_[items_[first - 1].op].duration_ns;
  }
  Rewind(time);
}

void OrderEvaluator::Rewind(Nanos time) {
  if (time == 0) {
    Restart();
    return;
  }
  for (int d = 0; d < num_devices_; ++d) {
    const auto begin = starts_.begin() + begin_[d];
    const auto end = starts_.begin() + cursor_[d];
    RewindTo(d, std::lower_bound(begin, end, time) - starts_.begin(), time);
  }
}

void OrderEvaluator::RewindTo(int device, int64_t position, Nanos time) {
  // Channels that were free by `time` may keep their value: all that is still
  // to be sent is ready no earlier. The others get that of their last message
  // before the cursor.
  int busy_channels = 0;
  for (int64_t i = cursor_[device] - 1; i >= position; --i) {
    const Op& op = ops_[items_[i].op];
    work_done_[device] -= op.duration_ns;
    for (uint32_t o = op.output_begin; o < op.output_end; ++o) {
      const Output& output = outputs_[o];
      arrivals_[output.slots + items_[i].micro_batch] = kUnset;
      if (output.channel >= 0 && channel_free_[output.channel] > time) {
        channel_free_[output.channel] = kUnset;
        ++busy_channels;
      }
    }
  }
  for (int64_t i = position - 1; i >= begin_[device] && busy_channels > 0;
       --i) {
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
  cursor_[device] = position;
  clock_[device] =
      position == begin_[device]
          ? 0
          : starts_[position - 1] + ops_[items_[position - 1].op].duration_ns;
}

Nanos OrderEvaluator::Makespan() { return Run(kNever) ? End() : kNever; }

std::optional<Nanos> OrderEvaluator::MakespanIfBelow(Nanos limit) {
  if (!Run(limit)) return std::nullopt;
  const Nanos end = End();
  if (end >= limit) return std::nullopt;
  return end;
}

Nanos OrderEvaluator::End() const {
  Nanos end = 0;
  for (Nanos clock : clock_) end = std::max(end, clock);
  return end;
}

// Runs what can run. False if something cannot or if a device cannot end before
// `limit`.
bool OrderEvaluator::Run(Nanos limit) {
  runnable_.clear();
  for (int d = num_devices_ - 1; d >= 0; --d) {
    waiting_for_[d] = kNoSlot;
    runnable_.push_back(d);
  }
  while (!runnable_.empty()) {
    const int device = runnable_.back();
    runnable_.pop_back();
    RunDevice(device);
    if (clock_[device] + work_[device] - work_done_[device] >= limit) {
      return false;
    }
  }
  for (int d = 0; d < num_devices_; ++d) {
    if (cursor_[d] != begin_[d + 1]) return false;
  }
  return true;
}

// Runs `device` until it has ended or waits, and makes runnable whom it wakes.
void OrderEvaluator::RunDevice(int device) {
  const Item* const items = items_.data();
  const Op* const ops = ops_.data();
  const int64_t* const inputs = inputs_.data();
  const Output* const outputs = outputs_.data();
  Nanos* const arrivals = arrivals_.data();
  Nanos* const starts = starts_.data();
  const int64_t end = begin_[device + 1];
  int64_t position = cursor_[device];
  Nanos clock = clock_[device];
  Nanos work_done = work_done_[device];
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
      waiting_for_[device] = missing;
      break;
    }
    starts[position] = start;
    clock = start + op.duration_ns;
    work_done += op.duration_ns;
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
      if (waiting_for_[output.device] == slot) {
        waiting_for_[output.device] = kNoSlot;
        runnable_.push_back(output.device);
      }
    }
  }
  cursor_[device] = position;
  clock_[device] = clock;
  work_done_[device] = work_done;
}

}  // namespace octopipe
