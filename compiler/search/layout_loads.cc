#include "compiler/search/layout_loads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/schedule/stage_table.h"
#include "compiler/search/layout_changes.h"
#include "compiler/search/stage_edits.h"

namespace octopipe {

LayoutLoads::LayoutLoads(const Problem& problem, int64_t further_micro_batches)
    : micro_batches_(
          static_cast<int>(problem.micro_batches + further_micro_batches)),
      key_micro_batches_(static_cast<int>(problem.micro_batches)),
      devices_(static_cast<int>(problem.devices.size())),
      layers_(static_cast<int>(problem.layers.size())) {
  std::vector<int> representative;
  for (int d = 0; d < devices_; ++d) {
    const Device& device = problem.devices[d];
    size_t c = 0;
    while (c < representative.size()) {
      const Device& other = problem.devices[representative[c]];
      if (other.kind == device.kind &&
          other.speed_permille == device.speed_permille) {
        break;
      }
      ++c;
    }
    if (c == representative.size()) representative.push_back(d);
    speed_class_.push_back(static_cast<int>(c));
  }
  for (int d : representative) {
    std::vector<Nanos> f = {0}, b = {0}, w = {0};
    for (const Layer& layer : problem.layers) {
      const LayerTimes times = TimesOn(layer.cost, problem.devices[d]);
      f.push_back(f.back() + times.f_ns);
      b.push_back(b.back() + times.b_ns);
      w.push_back(w.back() + times.w_ns);
    }
    f_.push_back(std::move(f));
    b_.push_back(std::move(b));
    w_.push_back(std::move(w));
  }
}

void LayoutLoads::AddLayers(int device, int begin, int end, Load* load) const {
  if (begin == end) return;
  const int c = speed_class_[device];
  if (load->first < 0 || begin < load->first) load->first = begin;
  load->last |= end == layers_;
  load->f_ns += f_[c][end] - f_[c][begin];
  load->b_ns += b_[c][end] - b_[c][begin];
  load->w_ns += w_[c][end] - w_[c][begin];
}

Nanos LayoutLoads::PromiseOf(int device, const Load& load) const {
  if (load.first < 0) return 0;
  const int c = speed_class_[device];
  const Nanos promise = f_[c][load.first] +
                        micro_batches_ * (load.f_ns + load.b_ns) +
                        std::max(micro_batches_ * load.w_ns, b_[c][load.first]);
  if (!load.last) return promise;
  const Nanos before = f_[c][layers_ - 1];
  return std::max(promise, before + micro_batches_ * (load.b_ns + load.w_ns +
                                                      f_[c][layers_] - before));
}

LayoutLoads::Score LayoutLoads::ScoreOf(const Partition& partition,
                                        const Placement& placement) const {
  std::vector<Load> loads(devices_);
  for (int s = 0; s < partition.stages(); ++s) {
    const int d = placement.device[s];
    AddLayers(d, partition.begin[s], partition.begin[s + 1], &loads[d]);
  }
  Score score;
  for (int d = 0; d < devices_; ++d) {
    const Nanos promise = PromiseOf(d, loads[d]);
    score.largest_ns = std::max(score.largest_ns, promise);
    score.squares += absl::int128(promise) * promise;
  }
  return score;
}

bool LayoutLoads::Repair(int steps, int most_stages, TunerState* state) const {
  using Kind = LayoutChange::Kind;
  bool changed = false;
  for (int step = 0; step < steps; ++step) {
    std::vector<int>& begin = state->partition.begin;
    std::vector<int>& device = state->placement.device;
    LayoutChanges changes(*this, state->partition, state->placement);
    const std::optional<LayoutChange> change =
        changes.Best(state->partition.stages() < most_stages);
    if (!change) break;
    const int s = change->stage;
    switch (change->kind) {
      case Kind::kShift:
        // Those between keep their number of layers.
        for (int t = s; t < change->other; ++t) begin[t + 1] -= change->layers;
        for (int t = change->other; t < s; ++t) begin[t + 1] += change->layers;
        break;
      case Kind::kTrade:
        std::swap(device[s], device[change->other]);
        break;
      case Kind::kMove:
        device[s] = change->other;
        break;
      case Kind::kCut: {
        const bool front = change->layers > 0;
        CutStageAt(s, front ? begin[s] + 1 : begin[s + 1] - 1,
                   key_micro_batches_, state);
        device[front ? s : s + 1] = change->other;
        break;
      }
    }
    changed = true;
  }
  return changed;
}

}  // namespace octopipe
