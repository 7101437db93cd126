#include "compiler/transfers/adversarial_executor.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

// (gradient, stage that makes it, stage that reads it, micro-batch)
using Tensor = std::tuple<bool, int, int, int>;

Tensor TensorOf(const WorkItem& work) {
  const bool is_gradient = work.kind == WorkKind::kSendGradient ||
                           work.kind == WorkKind::kReceiveGradient;
  return IsSend(work.kind)
             ? Tensor(is_gradient, work.stage, PeerOf(work), work.micro_batch)
             : Tensor(is_gradient, PeerOf(work), work.stage, work.micro_batch);
}

struct PostedSend {
  Tensor tensor;
  Bytes bytes;
  int device, item;
};

struct PostedReceive {
  Tensor tensor;
  Bytes bytes;
  int slot;
  int device, item;
};

struct Slot {
  bool is_taken = false;  // by a posted receive or by its tensor
  Tensor tensor;
};

struct ChannelState {
  std::deque<PostedSend> sends;
  std::deque<PostedReceive> receives;
  std::vector<Slot> slots;
};

struct DeviceState {
  size_t next = 0;  // item that the host has not passed
  bool is_posted = false;
  std::deque<WorkItem> engine;  // kAsynchronous only
  std::set<std::tuple<WorkKind, int, int>> ended;
  std::set<Tensor> arrived;
  std::vector<bool> is_transferred;  // of each item
};

class Executor {
 public:
  Executor(const StageTable& table, const TransferPlan& plan, ExecutorKind kind)
      : table_(table),
        plan_(plan),
        kind_(kind),
        devices_(plan.programs.size()),
        channels_(plan.channels.size()) {
    for (ChannelState& channel : channels_) channel.slots.resize(plan.slots);
    for (size_t d = 0; d < devices_.size(); ++d) {
      devices_[d].is_transferred.resize(plan.programs[d].size(), false);
    }
  }

  ExecutionResult Run(std::mt19937_64& random) {
    const int devices = static_cast<int>(devices_.size());
    const int channels = static_cast<int>(channels_.size());
    // Hosts, engines, channels.
    std::vector<uint64_t> rank(2 * devices + channels);
    for (uint64_t& r : rank) r = random();
    std::vector<int> by_rank(rank.size());
    for (size_t a = 0; a < rank.size(); ++a) by_rank[a] = static_cast<int>(a);
    auto sort = [&] {
      std::sort(by_rank.begin(), by_rank.end(),
                [&](int a, int b) { return rank[a] < rank[b]; });
    };
    sort();
    for (;;) {
      const bool has_acted =
          std::any_of(by_rank.begin(), by_rank.end(), [&](int actor) {
            return actor < devices       ? StepHost(actor)
                   : actor < 2 * devices ? StepEngine(actor - devices)
                                         : StepChannel(actor - 2 * devices);
          });
      if (result_.overwrites || !result_.error.empty()) return result_;
      if (!has_acted) break;
      if (random() % 8 == 0) {
        rank[random() % rank.size()] = random();
        sort();
      }
    }
    result_.ends = true;
    for (int d = 0; d < devices; ++d) {
      result_.ends &= devices_[d].next == plan_.programs[d].size() &&
                      devices_[d].engine.empty();
    }
    for (const ChannelState& channel : channels_) {
      result_.ends &= channel.sends.empty() && channel.receives.empty();
    }
    result_.hangs = !result_.ends;
    return result_;
  }

 private:
  template <typename... Parts>
  void Fail(const Parts&... parts) {
    result_.error = absl::StrCat(parts...);
  }

  // The tensors of other devices that an item reads.
  std::vector<Tensor> ReadsOf(const WorkItem& work) const {
    std::vector<Tensor> reads;
    const int device = table_.stages[work.stage].device;
    for (const StageEdge& edge : table_.edges) {
      if (work.kind == WorkKind::kForward && edge.to == work.stage &&
          table_.stages[edge.from].device != device) {
        reads.emplace_back(false, edge.from, edge.to, work.micro_batch);
      }
      if ((work.kind == WorkKind::kInputGradient ||
           work.kind == WorkKind::kBackward) &&
          edge.from == work.stage && edge.needs_grad &&
          table_.stages[edge.to].device != device) {
        reads.emplace_back(true, edge.to, edge.from, work.micro_batch);
      }
    }
    return reads;
  }

  bool HasMade(int device, const Tensor& tensor) const {
    const auto& [is_gradient, maker, reader, m] = tensor;
    const auto& ended = devices_[device].ended;
    if (!is_gradient) return ended.count({WorkKind::kForward, maker, m}) > 0;
    return ended.count({WorkKind::kInputGradient, maker, m}) > 0 ||
           ended.count({WorkKind::kBackward, maker, m}) > 0;
  }

  // False if a tensor is missing.
  bool Compute(int device, const WorkItem& work) {
    DeviceState& state = devices_[device];
    const std::vector<Tensor> reads = ReadsOf(work);
    for (const Tensor& tensor : reads) {
      if (state.arrived.count(tensor) == 0) return false;
    }
    for (const Tensor& tensor : reads) Release(device, tensor);
    state.ended.insert({work.kind, work.stage, work.micro_batch});
    return true;
  }

  void Release(int device, const Tensor& tensor) {
    devices_[device].arrived.erase(tensor);
    for (size_t c = 0; c < channels_.size(); ++c) {
      if (plan_.channels[c].to != device) continue;
      for (Slot& slot : channels_[c].slots) {
        if (slot.is_taken && slot.tensor == tensor) slot.is_taken = false;
      }
    }
  }

  void Post(int device, size_t i) {
    const ProgramItem& item = plan_.programs[device][i];
    const Tensor tensor = TensorOf(item.work);
    ChannelState& channel = channels_[item.channel];
    const int place = static_cast<int>(i);
    if (IsSend(item.work.kind)) {
      if (kind_ != ExecutorKind::kAsynchronous && !HasMade(device, tensor)) {
        return Fail("device ", device, " sends ", ToString(item.work),
                    " before it is made");
      }
      channel.sends.push_back({tensor, item.bytes, device, place});
      return;
    }
    channel.receives.push_back(
        {tensor, item.bytes, item.work.slot, device, place});
    if (kind_ != ExecutorKind::kAsynchronous)
      Take(channel.receives.back(), channel);
  }

  void Take(const PostedReceive& receive, ChannelState& channel) {
    Slot& slot = channel.slots[receive.slot];
    result_.overwrites |= slot.is_taken;
    slot = {true, receive.tensor};
  }

  size_t EndOfGroup(int device, size_t begin) const {
    const std::vector<ProgramItem>& program = plan_.programs[device];
    size_t end = begin + 1;
    while (program[begin].group >= 0 && end < program.size() &&
           program[end].group == program[begin].group) {
      ++end;
    }
    return end;
  }

  bool MayPass(int device, size_t begin, size_t end) const {
    if (kind_ != ExecutorKind::kBlocking) return true;
    for (size_t i = begin; i < end; ++i) {
      const ProgramItem& item = plan_.programs[device][i];
      if (IsReceive(item.work.kind) && item.group < 0) continue;
      if (!devices_[device].is_transferred[i]) return false;
    }
    return true;
  }

  bool StepHost(int device) {
    DeviceState& state = devices_[device];
    const std::vector<ProgramItem>& program = plan_.programs[device];
    if (state.next == program.size()) return false;
    const WorkItem& work = program[state.next].work;
    if (IsCompute(work.kind)) {
      if (kind_ == ExecutorKind::kAsynchronous) {
        state.engine.push_back(work);
      } else if (!Compute(device, work)) {
        return false;
      }
      ++state.next;
      return true;
    }
    const size_t end = EndOfGroup(device, state.next);
    if (!state.is_posted) {
      for (size_t i = state.next; i < end; ++i) Post(device, i);
      state.is_posted = true;
      return true;
    }
    if (!MayPass(device, state.next, end)) return false;
    state.next = end;
    state.is_posted = false;
    return true;
  }

  bool StepEngine(int device) {
    std::deque<WorkItem>& engine = devices_[device].engine;
    if (engine.empty() || !Compute(device, engine.front())) return false;
    engine.pop_front();
    return true;
  }

  bool StepChannel(int c) {
    ChannelState& channel = channels_[c];
    if (channel.sends.empty() || channel.receives.empty()) return false;
    const PostedSend send = channel.sends.front();
    const PostedReceive receive = channel.receives.front();
    if (kind_ == ExecutorKind::kAsynchronous) {
      if (!HasMade(send.device, send.tensor)) return false;
      if (channel.slots[receive.slot].is_taken) return false;
      Take(receive, channel);
    }
    if (send.tensor != receive.tensor || send.bytes != receive.bytes) {
      Fail("channel ", c, " delivers item ", send.item, " of device ",
           send.device, " to item ", receive.item, " of device ",
           receive.device);
      return true;
    }
    channel.sends.pop_front();
    channel.receives.pop_front();
    devices_[send.device].is_transferred[send.item] = true;
    devices_[receive.device].is_transferred[receive.item] = true;
    devices_[receive.device].arrived.insert(receive.tensor);
    return true;
  }

  const StageTable& table_;
  const TransferPlan& plan_;
  const ExecutorKind kind_;
  std::vector<DeviceState> devices_;
  std::vector<ChannelState> channels_;
  ExecutionResult result_;
};

}  // namespace

ExecutionResult ExecuteAdversarially(const StageTable& table,
                                     const TransferPlan& plan,
                                     ExecutorKind kind,
                                     std::mt19937_64& random) {
  return Executor(table, plan, kind).Run(random);
}

}  // namespace octopipe
