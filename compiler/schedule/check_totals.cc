#include "compiler/schedule/check_totals.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace octopipe {
namespace {

// A sum of non-negative terms that stops just above kMaxTotal.
class CappedSum {
 public:
  void Add(__int128 term) {
    value_ =
        std::min<__int128>(value_ + std::min<__int128>(term, kOver), kOver);
  }
  bool IsOver() const { return value_ > kMaxTotal; }
  __int128 value() const { return value_; }

 private:
  static constexpr __int128 kOver = static_cast<__int128>(kMaxTotal) + 1;
  __int128 value_ = 0;
};

__int128 DivideUp(__int128 value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// The longest that each layer's items may take on any device or link, for one
// micro-batch. Expects that nothing is negative.
class SlowestCosts {
 public:
  explicit SlowestCosts(const Problem& problem) : problem_(problem) {
    for (const Device& device : problem.devices) {
      slowest_permille_ = std::min(slowest_permille_, device.speed_permille);
    }
    for (const Link& link : problem.links) {
      latency_ns_ = std::max(latency_ns_, link.latency_ns);
      if (link.bytes_per_us == 0) continue;
      if (bytes_per_us_ == 0 || link.bytes_per_us < bytes_per_us_) {
        bytes_per_us_ = link.bytes_per_us;
      }
    }
  }

  // Forward, both ways of backward, and a launch of each.
  __int128 ComputeNanos(const Layer& layer) const {
    __int128 slowest = AtSlowest(layer.cost.times.f_ns) +
                       AtSlowest(layer.cost.times.b_ns) +
                       AtSlowest(layer.cost.times.w_ns);
    for (const auto& [kind, times] : layer.cost.times_on) {
      const __int128 sum =
          static_cast<__int128>(times.f_ns) + times.b_ns + times.w_ns;
      slowest = std::max(slowest, sum);
    }
    return slowest + static_cast<__int128>(4) * problem_.launch_overhead_ns;
  }

  // One activation and one gradient for each input.
  __int128 TransferNanos(const Layer& layer) const {
    CappedSum sum;
    for (int input : layer.inputs) {
      const Layer& producer = problem_.layers[input];
      sum.Add(OneTransfer(producer.output_bytes));
      sum.Add(OneTransfer(producer.output_grad_bytes));
    }
    return sum.value();
  }

 private:
  __int128 AtSlowest(Nanos ns) const {
    return DivideUp(static_cast<__int128>(ns) * 1000, slowest_permille_);
  }

  __int128 OneTransfer(Bytes bytes) const {
    if (bytes_per_us_ == 0) return latency_ns_;
    return DivideUp(static_cast<__int128>(bytes) * 1000, bytes_per_us_) +
           latency_ns_;
  }

  const Problem& problem_;
  int64_t slowest_permille_ = 1000;
  int64_t bytes_per_us_ = 0;  // of the slowest link; 0: none costs bandwidth
  Nanos latency_ns_ = 0;      // of the farthest link
};

// Adds up `cost_of` every layer and reports, at the costliest, a sum over
// kMaxTotal.
template <typename CostOf>
void CheckTotal(const Problem& problem, absl::string_view what,
                absl::string_view unit, const CostOf& cost_of,
                FindingList& findings) {
  CappedSum total;
  int64_t costliest = 0;
  __int128 highest = -1;
  for (int64_t l = 0; l < static_cast<int64_t>(problem.layers.size()); ++l) {
    const __int128 cost = cost_of(problem.layers[l]);
    total.Add(cost);
    if (cost > highest) {
      highest = cost;
      costliest = l;
    }
  }
  if (!total.IsOver()) return;
  findings.Add(Rule::kOverflow, {SubjectKind::kLayer, costliest}, what,
               " over all layers and ", problem.micro_batches,
               " micro-batches sum to more than ", kMaxTotal, " ", unit,
               ", the limit; ", "layer ", costliest, " \"",
               problem.layers[costliest].name,
               "\" has the largest part; check its unit and the micro-batches");
}

}  // namespace

void CheckTotals(const Problem& problem, FindingList& findings) {
  const SlowestCosts slowest(problem);
  const int64_t micro_batches = problem.micro_batches;
  auto times = [micro_batches](__int128 cost) {
    CappedSum capped;
    capped.Add(cost);
    return capped.value() * micro_batches;
  };
  CheckTotal(
      problem, "durations", "ns",
      [&](const Layer& layer) { return times(slowest.ComputeNanos(layer)); },
      findings);
  CheckTotal(
      problem, "transfers", "ns",
      [&](const Layer& layer) { return times(slowest.TransferNanos(layer)); },
      findings);
  CheckTotal(
      problem, "bytes", "bytes",
      [&](const Layer& layer) {
        const LayerMemory& memory = layer.cost.memory;
        const __int128 moved =
            static_cast<__int128>(layer.output_bytes) + layer.output_grad_bytes;
        const __int128 saved =
            static_cast<__int128>(memory.saved_b_bytes) + memory.saved_w_bytes;
        const __int128 once = static_cast<__int128>(memory.param_bytes) +
                              memory.grad_bytes + memory.optimizer_bytes +
                              memory.f_workspace_bytes +
                              memory.b_workspace_bytes;
        return once + times(saved + moved);
      },
      findings);
}

}  // namespace octopipe
