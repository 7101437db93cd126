// What memory adds to the claims of layer_claims.h, in the same terms: S are
// the layers of device j, which has R bytes of memory. Of each layer, `static`
// of them are taken for good, and for each micro-batch s = s_b + s_w more: s_b
// from the start of its F to the end of its B, s_w to that of its W. M · is
// times the number of micro-batches.
//
// One micro-batch. When it has had its F of z, no early layer has had its B:
//  (bytes) Σ_S static + Σ_{early S} s ≤ R.
//
// Room and time. Let life of a layer be the longest chain of F from it and of B
// back to it, both included. Its s_b are held for that long at least, and s_w
// for w more:
//  (area) M · Σ_S (s_b · life + s_w · (life + w)) ≤ T · (R − Σ_S static).
//
// Filling. Before back_j, a device without z has run F alone of its early
// layers, and holds what each saves. So what it has run by then, x
// micro-batches of each layer, has Σ s · x ≤ R − Σ static, and with any price ρ
// ≥ 0 of a byte takes
//   Σ f · x ≤ ρ · (R − Σ_{early S} static) + M · Σ max(0, f − ρ · s),
// the dual of filling a knapsack. The rest comes later:
//  (fill) back_j + Σ_{early S} M · (f + b + w − max(0, f − ρ · s))
//             + ρ · Σ_{early S} static ≤ T + ρ · R.
//
// Draining. Its last F of an early layer ends at T − rest_j at the latest.
// After that it runs B and W of what it holds then: with B, s; with W alone,
// s_w. With any price σ, so,
//  (drain) head_j + Σ_{early S} M · (f + b + w − q) + σ · Σ_{early S} static
//              ≤ T − rest_j + σ · R,
//          q = max(0, b + w − σ · s, w − σ · s_w);
// and what is neither before the one time nor after the other is between,
//  (both) Σ_{early S} M · (f + b + w − max(0, f − ρ · s) − q)
//             + (ρ + σ) · Σ_{early S} static
//              ≤ max(0, T − rest_j − back_j) + (ρ + σ) · R.
// With ρ = σ = 0 they are (bw) and (f) of layer_claims.h.
//
// The device with z itself runs F alone of its other early layers before
// head_z, no F of them after the last B of z, at T − tail_z at the latest, and
// M · (f + b) of z between the two. In (fill) all M · (f + b + w) of z come
// after head_z.
//
// Overhead. As (bw) and (f): 2 · M launches come on top on the device with z;
// M + 2 in (fill), M in (drain) and none in (both) on another.

#ifndef OCTOPIPE_COMPILER_BOUNDS_MEMORY_CLAIMS_H_
#define OCTOPIPE_COMPILER_BOUNDS_MEMORY_CLAIMS_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/bounds/device_types.h"
#include "compiler/bounds/layer_order.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// What each layer needs of its device for (bytes). Static bytes are parameters,
// gradients and optimizer state; of n layers that share them the n-th part of
// the least: a device that has one of the layers has them once.
std::vector<Bytes> LeastBytes(const Problem& problem, const LayerOrder& order);

class MemoryClaims {
 public:
  // All outlive this.
  MemoryClaims(const Problem& problem, const std::vector<DeviceType>& types,
               const LayerOrder& order);

  // How many claims, after the first, are about early layers alone.
  size_t EarlyClaims() const {
    return fill_.size() + drain_.size() + both_.size();
  }

  // What a layer takes of each claim on a device of `type`, and then two
  // figures that ForTime() makes one claim of.
  std::vector<int64_t> Needs(int layer, int type) const;
  // Of such needs, or the least of several layers', what they are in a plan
  // that takes `t` > 0.
  void ForTime(Nanos t, std::vector<int64_t>& needs) const;
  // What a device without a layer leaves of each claim; with z if `has_turn`.
  // Negative if too little.
  std::vector<int64_t> Room(Nanos t, int number, int type, bool has_turn) const;

 private:
  // value · num / den.
  struct Price {
    Nanos num = 0;
    Bytes den = 1;
    int64_t Floor(int64_t value) const;
    int64_t Ceil(int64_t value) const;
  };
  struct PricePair {
    Price fill;
    Price drain;
  };

  void FindLives();
  void ChoosePrices();
  void ChooseScales();
  // M · max(0, f − ρ · s), rounded up.
  Nanos Filled(int layer, const LayerParts& parts, const Price& price) const;
  // M · q, rounded up.
  Nanos Drained(int layer, const LayerParts& parts, const Price& price) const;

  const Problem& problem_;
  const std::vector<DeviceType>& types_;
  const LayerOrder& order_;
  std::vector<Bytes> static_;
  std::vector<Nanos> life_;
  std::vector<Price> fill_;
  std::vector<Price> drain_;
  std::vector<PricePair> both_;
  // Bytes over time are kept in 2^area_shift_, shares of memory in 1/2^scale_.
  int area_shift_ = 0;
  int scale_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_MEMORY_CLAIMS_H_
