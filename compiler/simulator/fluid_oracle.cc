#include "compiler/simulator/fluid_oracle.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace octopipe {
namespace {

constexpr double kAlmostNothing = 1e-6;

// Tensor of an edge and micro-batch, forth or back.
using Tensor = std::tuple<int, int, bool>;

struct Sending {
  Tensor tensor;
  double left = 0;  // bytes on a shared port, else ns
  double latency_ns = 0;
};

struct Channel {
  int port = -1;
  double bytes_per_ns = 1;
  double rate = 0;
  std::deque<Sending> messages;
};

struct Running {
  size_t next = 0;
  bool runs = false;
  double left_ns = 0;
};

class Stepper {
 public:
  Stepper(const StageTable& table, const Order& order)
      : table_(table), order_(order), devices_(table.num_devices) {
    times_.start_ns.resize(table.num_devices);
    for (size_t p = 0; p < table.shared_ports.size(); ++p) {
      for (const auto& channel : table.shared_ports[p].channels) {
        channels_[channel.channel].port = static_cast<int>(p);
        channels_[channel.channel].bytes_per_ns = channel.bytes_per_us / 1000.0;
      }
    }
  }

  SteppedTimes Run(double step_ns) {
    for (int step = 0;; ++step) {
      now_ = step * step_ns;
      if (EndsOrStarts()) {
        while (EndsOrStarts()) continue;
        if (IsDone()) break;
        SetRates();
      }
      for (auto& [id, channel] : channels_) {
        if (channel.messages.empty()) continue;
        channel.messages.front().left -= channel.rate * step_ns;
      }
      for (Running& device : devices_) device.left_ns -= step_ns;
    }
    times_.makespan_ns = now_;
    return times_;
  }

 private:
  bool IsDone() const {
    for (int d = 0; d < table_.num_devices; ++d) {
      if (devices_[d].next < order_.programs[d].size()) return false;
    }
    return true;
  }

  bool HasArrived(const Tensor& tensor) const {
    const auto at = arrival_ns_.find(tensor);
    return at != arrival_ns_.end() && at->second <= now_ + kAlmostNothing;
  }

  bool CanStart(const WorkItem& item) const {
    const int s = item.stage;
    const int m = item.micro_batch;
    if (item.kind == WorkKind::kForward) {
      return std::all_of(table_.in_edges[s].begin(), table_.in_edges[s].end(),
                         [&](int e) {
                           return HasArrived({e, m, true});
                         });
    }
    if (item.kind == WorkKind::kWeightGradient) return ended_.count({s, m, 1});
    if (!ended_.count({s, m, 0})) return false;
    return std::all_of(
        table_.out_edges[s].begin(), table_.out_edges[s].end(), [&](int e) {
          return !table_.edges[e].needs_grad || HasArrived({e, m, false});
        });
  }

  void Send(const Tensor& tensor, int id, Nanos alone_ns, Bytes bytes,
            Nanos latency_ns) {
    if (id < 0) {
      arrival_ns_[tensor] = now_;
      return;
    }
    Channel& channel = channels_[id];
    channel.messages.push_back(
        {tensor, static_cast<double>(channel.port < 0 ? alone_ns : bytes),
         static_cast<double>(latency_ns)});
  }

  void End(const WorkItem& item) {
    const int s = item.stage;
    const int m = item.micro_batch;
    if (item.kind == WorkKind::kWeightGradient) return;
    const bool forward = item.kind == WorkKind::kForward;
    ended_[{s, m, forward ? 0 : 1}] = true;
    for (int e : forward ? table_.out_edges[s] : table_.in_edges[s]) {
      const StageEdge& edge = table_.edges[e];
      if (forward) {
        Send({e, m, true}, edge.activation_channel, edge.activation_transfer_ns,
             edge.activation_bytes, edge.activation_latency_ns);
      } else if (edge.needs_grad) {
        Send({e, m, false}, edge.gradient_channel, edge.gradient_transfer_ns,
             edge.gradient_bytes, edge.gradient_latency_ns);
      }
    }
  }

  Nanos Duration(const WorkItem& item) const {
    const StageCost& stage = table_.stages[item.stage];
    return item.kind == WorkKind::kForward          ? stage.f_ns
           : item.kind == WorkKind::kInputGradient  ? stage.b_ns
           : item.kind == WorkKind::kWeightGradient ? stage.w_ns
                                                    : stage.bw_ns;
  }

  bool EndsOrStarts() {
    bool changed = false;
    for (int d = 0; d < table_.num_devices; ++d) {
      Running& device = devices_[d];
      if (device.runs && device.left_ns <= kAlmostNothing) {
        device.runs = false;
        End(order_.programs[d][device.next++]);
        changed = true;
      }
      if (device.runs || device.next == order_.programs[d].size()) continue;
      const WorkItem& item = order_.programs[d][device.next];
      if (!CanStart(item)) continue;
      device.runs = true;
      device.left_ns = static_cast<double>(Duration(item));
      times_.start_ns[d].push_back(now_);
      changed = true;
    }
    for (auto& [id, channel] : channels_) {
      while (!channel.messages.empty() &&
             channel.messages.front().left <= kAlmostNothing) {
        const Sending& message = channel.messages.front();
        arrival_ns_[message.tensor] = now_ + message.latency_ns;
        channel.messages.pop_front();
        changed = true;
      }
    }
    return changed;
  }

  // Progressive filling: whoever asks for less than an equal part gets what it
  // asks for, until nobody does.
  void SetRates() {
    std::vector<std::vector<Channel*>> asking(table_.shared_ports.size());
    for (auto& [id, channel] : channels_) {
      channel.rate = channel.bytes_per_ns;
      if (channel.port >= 0 && !channel.messages.empty()) {
        asking[channel.port].push_back(&channel);
      }
    }
    for (size_t p = 0; p < asking.size(); ++p) {
      double left = table_.shared_ports[p].bytes_per_us / 1000.0;
      while (!asking[p].empty()) {
        const double part = left / static_cast<double>(asking[p].size());
        const auto modest = std::partition(
            asking[p].begin(), asking[p].end(),
            [&](const Channel* c) { return c->bytes_per_ns > part; });
        for (auto it = modest; it != asking[p].end(); ++it) {
          left -= (*it)->bytes_per_ns;
        }
        if (modest == asking[p].end()) {
          for (Channel* channel : asking[p]) channel->rate = part;
          break;
        }
        asking[p].erase(modest, asking[p].end());
      }
    }
  }

  const StageTable& table_;
  const Order& order_;
  double now_ = 0;
  std::vector<Running> devices_;
  std::map<int, Channel> channels_;
  std::map<Tensor, double> arrival_ns_;
  std::map<std::tuple<int, int, int>, bool> ended_;
  SteppedTimes times_;
};

}  // namespace

SteppedTimes SimulateInSteps(const StageTable& table, const Order& order,
                             double step_ns) {
  return Stepper(table, order).Run(step_ns);
}

}  // namespace octopipe
