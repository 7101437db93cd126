#include "tests/oracles/order_enumerator.h"

#include <algorithm>
#include <array>

namespace octopipe {
namespace {

template <typename T>
using Each = std::array<T, kMostEnumerated>;

// What has run so far. Ends are −1 for what has not.
struct State {
  Each<Nanos> device_free{};
  Each<Nanos> channel_free{};
  Each<Nanos> work_left{};  // of a device, with whole backwards
  Each<Bytes> held{};       // by a device between its items
  Nanos last_start = 0;
  int items_left = 0;  // F and B of every stage and micro-batch, and open W
  Each<Each<Nanos>> forward_end;
  Each<Each<Nanos>> gradient_end;
  Each<Each<bool>> owes_weight{};
  // When the last tensor that has been sent to the item arrives.
  Each<Each<Nanos>> forward_ready{};
  Each<Each<Nanos>> gradient_ready{};
};

class Enumerator {
 public:
  explicit Enumerator(const StageTable& table) : table_(table) {
    order_.programs.resize(table.num_devices);
    timeline_.start_ns.resize(table.num_devices);
  }

  std::function<bool(const Order&, const Timeline&)> visit;
  // With a limit: the least makespan so far, below which alone is of interest.
  bool seeks_least = false;
  Nanos limit = 0;

  void Run() {
    State state;
    for (int d = 0; d < table_.num_devices; ++d) {
      state.held[d] = table_.static_bytes[d];
    }
    for (auto& ends : state.forward_end) ends.fill(-1);
    for (auto& ends : state.gradient_end) ends.fill(-1);
    for (const StageCost& stage : table_.stages) {
      state.work_left[stage.device] +=
          table_.micro_batches * (stage.f_ns + stage.bw_ns);
    }
    state.items_left = 2 * table_.num_stages() * table_.micro_batches;
    Extend(state);
  }

 private:
  void Extend(const State& state) {
    if (stopped_ || (seeks_least && IsHopeless(state))) return;
    if (state.items_left == 0) {
      if (seeks_least) {
        limit = timeline_.makespan_ns;
      } else {
        stopped_ = !visit(order_, timeline_);
      }
      return;
    }
    for (int s = 0; s < table_.num_stages(); ++s) {
      for (int m = 0; m < table_.micro_batches; ++m) {
        if (state.owes_weight[s][m]) Append(state, WeightGradient(s, m));
        if (state.gradient_end[s][m] >= 0) continue;
        if (state.forward_end[s][m] < 0) {
          if (CanForward(state, s, m)) Append(state, Forward(s, m));
          continue;
        }
        if (!CanBackward(state, s, m)) continue;
        if (table_.stages[s].splittable) Append(state, InputGradient(s, m));
        Append(state, Backward(s, m));
      }
    }
  }

  bool IsHopeless(const State& state) const {
    if (timeline_.makespan_ns >= limit) return true;
    for (int d = 0; d < table_.num_devices; ++d) {
      const Nanos from = std::max(state.device_free[d], state.last_start);
      if (state.work_left[d] > 0 && from + state.work_left[d] >= limit) {
        return true;
      }
    }
    return false;
  }

  bool CanForward(const State& state, int s, int m) const {
    if (seeks_least && s == 0 && m > 0 && state.forward_end[0][m - 1] < 0) {
      return false;
    }
    return std::all_of(
        table_.in_edges[s].begin(), table_.in_edges[s].end(),
        [&](int e) { return state.forward_end[table_.edges[e].from][m] >= 0; });
  }

  bool CanBackward(const State& state, int s, int m) const {
    return std::all_of(
        table_.out_edges[s].begin(), table_.out_edges[s].end(), [&](int e) {
          const StageEdge& edge = table_.edges[e];
          return !edge.needs_grad || state.gradient_end[edge.to][m] >= 0;
        });
  }

  // Runs `item` next on its device; not before the last item that was appended,
  // so that each order is built in the order of its times.
  void Append(const State& before, const WorkItem& item) {
    const int s = item.stage;
    const int m = item.micro_batch;
    const StageCost& stage = table_.stages[s];
    Nanos ready = 0;
    if (item.kind == WorkKind::kForward) {
      ready = before.forward_ready[s][m];
    } else {
      ready = std::max(before.gradient_ready[s][m], before.forward_end[s][m]);
    }
    const Nanos start = std::max(ready, before.device_free[stage.device]);
    if (start < before.last_start) return;

    State state = before;
    if (!Hold(item, state)) return;
    state.last_start = start;
    Nanos duration = 0;
    switch (item.kind) {
      case WorkKind::kForward:
        duration = stage.f_ns;
        break;
      case WorkKind::kInputGradient:
        duration = stage.b_ns;
        break;
      case WorkKind::kWeightGradient:
        duration = stage.w_ns;
        break;
      default:
        duration = stage.bw_ns;
    }
    const Nanos end = start + duration;
    state.device_free[stage.device] = end;
    Finish(item, end, duration, state);

    const Nanos makespan = timeline_.makespan_ns;
    timeline_.makespan_ns = std::max(makespan, end);
    timeline_.start_ns[stage.device].push_back(start);
    order_.programs[stage.device].push_back(item);
    Extend(state);
    order_.programs[stage.device].pop_back();
    timeline_.start_ns[stage.device].pop_back();
    timeline_.makespan_ns = makespan;
  }

  // Whether the device has the memory to run `item`. Leaves in `state` what it
  // holds after it.
  bool Hold(const WorkItem& item, State& state) const {
    const StageCost& stage = table_.stages[item.stage];
    Bytes& held = state.held[stage.device];
    const bool is_forward = item.kind == WorkKind::kForward;
    if (is_forward) held += stage.saved_b_bytes + stage.saved_w_bytes;
    const Bytes peak =
        held + (is_forward ? stage.f_workspace_bytes : stage.b_workspace_bytes);
    const Bytes capacity = table_.memory_bytes[stage.device];
    if (!is_forward && item.kind != WorkKind::kWeightGradient) {
      held -= stage.saved_b_bytes;
    }
    if (!is_forward && item.kind != WorkKind::kInputGradient) {
      held -= stage.saved_w_bytes;
    }
    return capacity == 0 || peak <= capacity;
  }

  void Finish(const WorkItem& item, Nanos end, Nanos duration,
              State& state) const {
    const int s = item.stage;
    const int m = item.micro_batch;
    const StageCost& stage = table_.stages[s];
    Nanos& work_left = state.work_left[stage.device];
    --state.items_left;
    if (item.kind == WorkKind::kForward) {
      work_left -= duration;
      state.forward_end[s][m] = end;
      for (int e : table_.out_edges[s]) {
        const StageEdge& edge = table_.edges[e];
        Send(edge.activation_channel, edge.activation_transfer_ns,
             edge.activation_latency_ns, end, state,
             state.forward_ready[edge.to][m]);
      }
      return;
    }
    if (item.kind == WorkKind::kWeightGradient) {
      work_left -= duration;
      state.owes_weight[s][m] = false;
      return;
    }
    work_left -= stage.bw_ns;
    if (item.kind == WorkKind::kInputGradient) {
      ++state.items_left;
      work_left += stage.w_ns;
      state.owes_weight[s][m] = true;
      state.gradient_ready[s][m] = end;
    }
    state.gradient_end[s][m] = end;
    for (int e : table_.in_edges[s]) {
      const StageEdge& edge = table_.edges[e];
      if (!edge.needs_grad) continue;
      Send(edge.gradient_channel, edge.gradient_transfer_ns,
           edge.gradient_latency_ns, end, state,
           state.gradient_ready[edge.from][m]);
    }
  }

  static void Send(int channel, Nanos transfer, Nanos latency, Nanos end,
                   State& state, Nanos& ready) {
    if (channel >= 0) {
      Nanos& free = state.channel_free[channel];
      free = std::max(free, end) + transfer;
      end = free + latency;
    }
    ready = std::max(ready, end);
  }

  const StageTable& table_;
  Order order_;
  Timeline timeline_;
  bool stopped_ = false;
};

}  // namespace

void ForEachOrder(
    const StageTable& table,
    const std::function<bool(const Order&, const Timeline&)>& visit) {
  Enumerator enumerator(table);
  enumerator.visit = visit;
  enumerator.Run();
}

Nanos LeastMakespan(const StageTable& table, Nanos limit) {
  Enumerator enumerator(table);
  enumerator.seeks_least = true;
  enumerator.limit = limit;
  enumerator.Run();
  return enumerator.limit;
}

}  // namespace octopipe
