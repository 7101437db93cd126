// Whether the layers of a model can be assigned to devices so that each device
// meets the claims of layer_claims.h.
//
// Devices of one type (device_types.h) are alike. Of unequal devices any can be
// the one with number j; if that leaves too many cases, the j-th in use of each
// type counts as number j, which it is at least, and layer 0 goes anywhere.
// Where layers are of too many kinds, they are rounded down to fewer
// (MergeKinds). Both take nothing away that a plan could do.

#ifndef OCTOPIPE_COMPILER_BOUNDS_LAYER_PACKING_H_
#define OCTOPIPE_COMPILER_BOUNDS_LAYER_PACKING_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/bounds/device_types.h"
#include "compiler/bounds/layer_claims.h"
#include "compiler/bounds/packing.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

class LayerPacking {
 public:
  // Longer than any plan.
  static constexpr Nanos kForever = int64_t{1} << 61;

  // `problem` outlives this. Memory is counted if `with_memory`.
  LayerPacking(const Problem& problem, Numbering numbering, bool with_memory);
  LayerPacking(const LayerPacking&) = delete;
  LayerPacking& operator=(const LayerPacking&) = delete;

  // Whether layers can be assigned so in a plan that takes `t`. Takes a fifth
  // of a second at most, over all calls; after that, too much work.
  Fit FitsIn(Nanos t);

  // All t at which the answer changes are multiples of this.
  Nanos Grain() const;

  // Whether layers were rounded down.
  bool is_merged() const { return is_merged_; }
  const LayerOrder& order() const { return claims_.order(); }

 private:
  // Number `number` of the devices in use is of type `type`. Nodes are the
  // numbers of devices in use of each type.
  struct Step {
    int from, to, type, number;
  };

  void ListSteps();
  void ListStepsInTypeOrder();
  // Whether layer 0 is known to be on the device with number `number`.
  bool HasFirst(int number) const { return number == 0 && in_every_order_; }
  void MergeLayers();
  BinChoices BinsFor(Nanos t) const;

  const Problem& problem_;
  const bool with_memory_;
  const std::vector<DeviceType> types_;
  const LayerClaims claims_;

  std::vector<Step> steps_;
  int nodes_ = 1;
  bool in_every_order_ = true;

  std::vector<ItemKind> kinds_;
  bool is_merged_ = false;
  bool is_settled_ = false;  // no fewer kinds from here on
  int64_t most_vectors_;
  int64_t budget_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_LAYER_PACKING_H_
