#include "compiler/search/layout_loads.h"

#include <algorithm>
#include <utility>

#include "compiler/schedule/stage_table.h"
#include "compiler/search/stage_edits.h"

namespace octopipe {

LayoutLoads::LayoutLoads(const Problem& problem)
    : micro_batches_(static_cast<int>(problem.micro_batches)),
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

Nanos LayoutLoads::PromiseOf(const Load& load, int device, bool last) const {
  if (load.first < 0) return 0;
  const int c = speed_class_[device];
  const Nanos promise = f_[c][load.first] +
                        micro_batches_ * (load.f_ns + load.b_ns) +
                        std::max(micro_batches_ * load.w_ns, b_[c][load.first]);
  if (!last) return promise;
  const Nanos before = f_[c][layers_ - 1];
  return std::max(promise, before + micro_batches_ * (load.b_ns + load.w_ns +
                                                      f_[c][layers_] - before));
}

void LayoutLoads::Promises(const Partition& partition,
                           const Placement& placement,
                           std::vector<Nanos>* promises) const {
  std::vector<Load> loads(devices_);
  const int stages = partition.stages();
  for (int s = 0; s < stages; ++s) {
    const int d = placement.device[s], c = speed_class_[d];
    const int begin = partition.begin[s], end = partition.begin[s + 1];
    Load& load = loads[d];
    if (load.first < 0) load.first = begin;
    load.f_ns += f_[c][end] - f_[c][begin];
    load.b_ns += b_[c][end] - b_[c][begin];
    load.w_ns += w_[c][end] - w_[c][begin];
  }
  promises->resize(devices_);
  for (int d = 0; d < devices_; ++d) {
    (*promises)[d] = PromiseOf(loads[d], d, placement.device[stages - 1] == d);
  }
}

LayoutLoads::Score LayoutLoads::ScoreOf(const Partition& partition,
                                        const Placement& placement) const {
  std::vector<Nanos> promises;
  Promises(partition, placement, &promises);
  Score score;
  for (Nanos promise : promises) {
    score.largest_ns = std::max(score.largest_ns, promise);
    score.squares += absl::int128(promise) * promise;
  }
  return score;
}

void LayoutLoads::Apply(const Change& change, Partition* partition,
                        Placement* placement) {
  std::vector<int>& begin = partition->begin;
  switch (change.kind) {
    case Change::Kind::kShift:
      // From `stage` to `other`; those between keep their number of layers.
      for (int s = change.stage; s < change.other; ++s) {
        begin[s + 1] -= change.layers;
      }
      for (int s = change.other; s < change.stage; ++s) {
        begin[s + 1] += change.layers;
      }
      break;
    case Change::Kind::kMove:
      placement->device[change.stage] = change.other;
      break;
    case Change::Kind::kTrade:
      std::swap(placement->device[change.stage],
                placement->device[change.other]);
      break;
    case Change::Kind::kCut:
      break;
  }
}

bool LayoutLoads::Repair(int steps, int most_stages, TunerState* state) const {
  bool changed = false;
  std::vector<Nanos> promises;
  for (int step = 0; step < steps; ++step) {
    Partition& partition = state->partition;
    Placement& placement = state->placement;
    const int stages = partition.stages();
    Promises(partition, placement, &promises);
    const int busiest = static_cast<int>(
        std::max_element(promises.begin(), promises.end()) - promises.begin());
    Score best = ScoreOf(partition, placement);
    bool found = false;
    Change change_found;
    auto consider = [&](const Change& change) {
      Partition tried_partition = partition;
      Placement tried_placement = placement;
      if (change.kind == Change::Kind::kCut) {
        // A layer of an end of the stage, alone on another device.
        const int s = change.stage;
        const int at = change.layers > 0 ? tried_partition.begin[s] + 1
                                         : tried_partition.begin[s + 1] - 1;
        tried_partition.begin.insert(tried_partition.begin.begin() + s + 1, at);
        tried_placement.device.insert(
            tried_placement.device.begin() + s + (change.layers > 0 ? 0 : 1),
            change.other);
      } else {
        Apply(change, &tried_partition, &tried_placement);
      }
      const Score score = ScoreOf(tried_partition, tried_placement);
      if (!(score < best)) return;
      best = score;
      change_found = change;
      found = true;
    };
    for (int s = 0; s < stages; ++s) {
      if (placement.device[s] != busiest) continue;
      const int layers = partition.begin[s + 1] - partition.begin[s];
      for (int t = 0; t < stages; ++t) {
        if (placement.device[t] == busiest) continue;
        for (int n = 1; n <= std::min(2, layers - 1); ++n) {
          consider({Change::Kind::kShift, s, t, n});
        }
        consider({Change::Kind::kTrade, s, t, 0});
      }
      for (int d = 0; d < devices_; ++d) {
        if (d == busiest) continue;
        consider({Change::Kind::kMove, s, d, 0});
        if (layers > 1 && stages < most_stages) {
          consider({Change::Kind::kCut, s, d, 1});
          consider({Change::Kind::kCut, s, d, -1});
        }
      }
    }
    if (!found) break;
    if (change_found.kind == Change::Kind::kCut) {
      const int s = change_found.stage;
      const bool front = change_found.layers > 0;
      CutStageAt(s, front ? partition.begin[s] + 1 : partition.begin[s + 1] - 1,
                 micro_batches_, state);
      placement.device[front ? s : s + 1] = change_found.other;
    } else {
      Apply(change_found, &partition, &placement);
    }
    changed = true;
  }
  return changed;
}

}  // namespace octopipe
