// What a plan that takes T must meet on each device: claims that are linear in
// the layers that the device has, so that packing.h can decide whether layers
// can be assigned to devices at all.
//
// Number the layers in any way (layer_order.h), and the devices in use by their
// first layer in that numbering: that of device j has a number of j at least,
// so all of its layers have, and device 0 holds layer 0. Early layers are those
// for which B waits for B of z, the turn; so F of z waits for their F. Of all
// layers from j on let head_j be the least head and tail_j the least tail; of
// the early ones but z let back_j be the least time at which B can begin, and
// rest_j the least that must follow after F. M is the number of micro-batches
// and S the layers of device j. As no device runs two parts at a time,
//  (t)  head_j + M · Σ_S (f + b + w) ≤ T;
//  (fb) head_j + M · Σ_S (f + b) + tail_j ≤ T: after the last B of the device a
//       tail is to come.
// On the device with z, as early layers run no B before the first F of z, which
// is at head_z at the earliest, and no F after the last B of z,
//  (bw) head_z + M · (f + b + w of z + Σ_{early S} (b + w)) ≤ T;
//  (f)  head_j + M · (f + b of z + Σ_{early S} f) + tail_z ≤ T;
// and on another
//  (bw) back_j + M · Σ_{early S} (b + w) ≤ T;
//  (f)  head_j + M · Σ_{early S} f + rest_j ≤ T.
//
// Overhead. A device in use runs at least M forward and M backward items, and
// each starts with its overhead. All of them lie within what (t) and (fb)
// count, and (bw) and (f) on the device with z: but for the first forward of z,
// whose overhead comes after the head's chain. So T has 2 · M of them on top.
// On another device (bw) and (f) count M of its own and two of the turn's.
//
// memory_claims.h has more, if memory counts.

#ifndef OCTOPIPE_COMPILER_BOUNDS_LAYER_CLAIMS_H_
#define OCTOPIPE_COMPILER_BOUNDS_LAYER_CLAIMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/bounds/device_types.h"
#include "compiler/bounds/layer_order.h"
#include "compiler/bounds/memory_claims.h"
#include "compiler/bounds/packing.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

class LayerClaims {
 public:
  // Both outlive this. Memory is counted if `with_memory`.
  LayerClaims(const Problem& problem, const std::vector<DeviceType>& types,
              Numbering numbering, bool with_memory);

  const LayerOrder& order() const { return order_; }

  // What the layer takes of each claim on each type of device, and what else
  // ForTime() asks for.
  std::vector<std::vector<int64_t>> Needs(int layer) const;

  // Of kinds with such needs, those with the needs in a plan that takes `t`.
  std::vector<ItemKind> ForTime(Nanos t, std::vector<ItemKind> kinds) const;

  // What the claims leave to further layers on the device with number `number`,
  // of type `type`, in a plan that takes `t`. The device has layer 0 already if
  // `has_first`, and z if `has_turn`. Nullopt if no plan can.
  BinRoom Room(Nanos t, int number, int type, bool has_first,
               bool has_turn) const;

 private:
  // Those of memory follow.
  enum Claim { kTotal, kForwardBackward, kBackwardWeight, kForward, kBytes };

  std::vector<int64_t> NeedsOn(int layer, int type) const;
  bool IsOfEarlyLayers(int claim) const;

  const Problem& problem_;
  const std::vector<DeviceType>& types_;
  LayerOrder order_;
  std::optional<MemoryClaims> memory_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_LAYER_CLAIMS_H_
