#include "compiler/search/layout_changes.h"

#include <algorithm>
#include <cstdint>

namespace octopipe {
namespace {

absl::int128 Square(Nanos value) { return absl::int128(value) * value; }

}  // namespace

LayoutChanges::LayoutChanges(const LayoutLoads& loads,
                             const Partition& partition,
                             const Placement& placement)
    : loads_(loads),
      stages_(partition.stages()),
      device_(placement.device),
      stages_of_(loads.devices()),
      promises_(loads.devices(), 0),
      largest_(loads.devices()) {
  for (int s = 0; s < stages_; ++s) {
    layers_.push_back({partition.begin[s], partition.begin[s + 1]});
    stages_of_[device_[s]].push_back(s);
  }
  for (int d = 0; d < loads.devices(); ++d) Update(d);
}

Nanos LayoutChanges::PromiseOf(int device, int without, Layers with) const {
  LayoutLoads::Load load;
  for (int s : stages_of_[device]) {
    if (s == without) continue;
    loads_.AddLayers(device, layers_[s].begin, layers_[s].end, &load);
  }
  loads_.AddLayers(device, with.begin, with.end, &load);
  return loads_.PromiseOf(device, load);
}

void LayoutChanges::Update(int device) {
  Nanos& promise = promises_[device];
  squares_ -= Square(promise);
  promise = PromiseOf(device, -1, {});
  squares_ += Square(promise);
  largest_.Set(device, ~static_cast<uint64_t>(promise));
}

void LayoutChanges::FindLargest() {
  three_largest_.clear();
  for (int d = 0; d < loads_.devices(); ++d) {
    auto at = three_largest_.end();
    while (at != three_largest_.begin() &&
           promises_[*(at - 1)] < promises_[d]) {
      --at;
    }
    three_largest_.insert(at, d);
    if (three_largest_.size() > 3) three_largest_.pop_back();
  }
  busiest_ = three_largest_.front();
}

Nanos LayoutChanges::LargestBut(int a, int b) const {
  for (int d : three_largest_) {
    if (d != a && d != b) return promises_[d];
  }
  return 0;
}

void LayoutChanges::Consider(const LayoutLoads::Score& score,
                             const LayoutChange& change, Rank rank) {
  if (best_ < score) return;
  if (!(score < best_) && (!change_ || rank_ < rank)) return;
  best_ = score;
  rank_ = rank;
  change_ = change;
}

void LayoutChanges::TryShifts(int stage, int layers, int step) {
  // As the receiver goes from stage to stage, those before it move as a whole.
  const auto before = std::tuple(layers_, promises_, largest_, squares_);
  const int by = -step * layers;
  auto give = [&](int s) {
    (step > 0 ? layers_[s].end : layers_[s].begin) += by;
    Update(device_[s]);
  };
  give(stage);
  for (int t = stage + step; t >= 0 && t < stages_; t += step) {
    (step > 0 ? layers_[t].begin : layers_[t].end) += by;
    Update(device_[t]);
    if (device_[t] != busiest_) {
      Consider({static_cast<Nanos>(~largest_.Min()), squares_},
               {LayoutChange::Kind::kShift, stage, t, layers},
               {stage, 0, t, layers});
    }
    give(t);
  }
  std::tie(layers_, promises_, largest_, squares_) = before;
}

// Of the stage that changes the busiest device has `kept` afterwards, and the
// device `to` has `passed` instead of the stage `without`.
void LayoutChanges::TryPair(const LayoutChange& change, int to, Layers kept,
                            int without, Layers passed, Rank rank) {
  const Nanos from_promise = PromiseOf(busiest_, change.stage, kept);
  const Nanos to_promise = PromiseOf(to, without, passed);
  LayoutLoads::Score score;
  score.largest_ns =
      std::max({from_promise, to_promise, LargestBut(busiest_, to)});
  score.squares = squares_ - Square(promises_[busiest_]) -
                  Square(promises_[to]) + Square(from_promise) +
                  Square(to_promise);
  Consider(score, change, rank);
}

std::optional<LayoutChange> LayoutChanges::Best(bool may_cut) {
  using Kind = LayoutChange::Kind;
  FindLargest();
  best_ = {promises_[busiest_], squares_};
  change_.reset();
  const std::vector<int> stages = stages_of_[busiest_];
  for (int s : stages) {
    const Layers all = layers_[s];
    const int count = all.end - all.begin;
    for (int n = 1; n <= std::min(2, count - 1); ++n) {
      TryShifts(s, n, 1);
      TryShifts(s, n, -1);
    }
    for (int t = 0; t < stages_; ++t) {
      if (device_[t] == busiest_) continue;
      TryPair({Kind::kTrade, s, t, 0}, device_[t], layers_[t], t, all,
              {s, 0, t, 3});
    }
    for (int d = 0; d < loads_.devices(); ++d) {
      if (d == busiest_) continue;
      TryPair({Kind::kMove, s, d, 0}, d, {}, -1, all, {s, 1, d, 0});
      if (count < 2 || !may_cut) continue;
      TryPair({Kind::kCut, s, d, 1}, d, {all.begin + 1, all.end}, -1,
              {all.begin, all.begin + 1}, {s, 1, d, 1});
      TryPair({Kind::kCut, s, d, -1}, d, {all.begin, all.end - 1}, -1,
              {all.end - 1, all.end}, {s, 1, d, 2});
    }
  }
  return change_;
}

}  // namespace octopipe
