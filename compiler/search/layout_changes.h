// The best of all single changes of a layout.

#ifndef OCTOPIPE_COMPILER_SEARCH_LAYOUT_CHANGES_H_
#define OCTOPIPE_COMPILER_SEARCH_LAYOUT_CHANGES_H_

#include <optional>
#include <tuple>
#include <vector>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/search/layout_loads.h"
#include "compiler/simulator/min_tree.h"

namespace octopipe {

struct LayoutChange {
  enum class Kind {
    kShift,  // `layers` pass from `stage` to stage `other`, through all between
    kTrade,  // `stage` and stage `other` trade devices
    kMove,   // `stage` goes to device `other`
    kCut,    // a layer of `stage`, the first if `layers` is 1, the last if it
             // is -1, becomes a stage on device `other`
  };
  Kind kind = Kind::kMove;
  int stage = 0;
  int other = 0;
  int layers = 0;
};

// Knows what each device promises, so that a change costs no more than the
// stages of the devices that it changes.
class LayoutChanges {
 public:
  // `loads` outlives it.
  LayoutChanges(const LayoutLoads& loads, const Partition& partition,
                const Placement& placement);

  // Of those that relieve the device with the largest promise, the first of
  // the best scores; nullopt if none is better than the layout.
  std::optional<LayoutChange> Best(bool may_cut);

 private:
  struct Layers {
    int begin = 0;
    int end = 0;
  };
  // So that the choice does not depend on the order of trying.
  using Rank = std::tuple<int, int, int, int>;

  // Of `device` with the stage `without`, if there is one, replaced by `with`.
  Nanos PromiseOf(int device, int without, Layers with) const;
  void Update(int device);
  void FindLargest();
  // The largest promise of the devices but two.
  Nanos LargestBut(int a, int b) const;
  void TryShifts(int stage, int layers, int step);
  void TryPair(const LayoutChange& change, int to, Layers kept, int without,
               Layers passed, Rank rank);
  void Consider(const LayoutLoads::Score& score, const LayoutChange& change,
                Rank rank);

  const LayoutLoads& loads_;
  const int stages_;
  std::vector<Layers> layers_;  // of each stage
  std::vector<int> device_;
  std::vector<std::vector<int>> stages_of_;
  std::vector<Nanos> promises_;
  MinTree largest_;  // of the promises' complements
  absl::int128 squares_ = 0;
  int busiest_ = 0;
  std::vector<int> three_largest_;  // devices

  LayoutLoads::Score best_;
  Rank rank_;
  std::optional<LayoutChange> change_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_LAYOUT_CHANGES_H_
