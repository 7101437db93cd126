// What a partition and a placement promise before any order is tried, and their
// repair.
//
// In a chain on equal devices: of a device with first layer k and a load of f,
// b and w a micro-batch, no order makes less than
//
//   head_k + M · (f + b) + max(M · w, tail_k)
//
// where head_k and tail_k are the forwards and backwards in front of layer k;
// and if it has the last layer, with t of its own, no less than
//
//   head_last + M · t + M · (b + w of its other layers),
//
// for until the first forward of the last layer it can run forwards alone. The
// search judges a layout by the largest of these over the devices. (On unequal
// devices the layers in front are taken at the speed of the device itself,
// which makes it an estimate.)

#ifndef OCTOPIPE_COMPILER_SEARCH_LAYOUT_LOADS_H_
#define OCTOPIPE_COMPILER_SEARCH_LAYOUT_LOADS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

class LayoutLoads {
 public:
  // `problem` is valid. Layers are taken as a chain. Micro-batches count with
  // `further_micro_batches` more.
  explicit LayoutLoads(const Problem& problem,
                       int64_t further_micro_batches = 0);

  // The largest promise, and of equals the sum of squares: less is better.
  struct Score {
    Nanos largest_ns = 0;
    absl::int128 squares = 0;

    bool operator<(const Score& other) const {
      return largest_ns != other.largest_ns ? largest_ns < other.largest_ns
                                            : squares < other.squares;
    }
  };
  Score ScoreOf(const Partition& partition, const Placement& placement) const;

  // Of a device, for one micro-batch.
  struct Load {
    int first = -1;     // layer; -1: none
    bool last = false;  // has the last layer
    Nanos f_ns = 0;
    Nanos b_ns = 0;
    Nanos w_ns = 0;
  };
  // Layers [begin, end); none if they are equal.
  void AddLayers(int device, int begin, int end, Load* load) const;
  Nanos PromiseOf(int device, const Load& load) const;
  int devices() const { return devices_; }

  // Takes layers from the device with the largest promise, by the best of all
  // single changes - a boundary moves, layers pass through a run of stages, a
  // stage moves, two stages trade devices, the end of a stage becomes a stage
  // elsewhere - as long as one helps, at most `steps` times. Stages keep what
  // decides their order. True if anything changed.
  bool Repair(int steps, int most_stages, TunerState* state) const;

 private:
  int micro_batches_;
  int key_micro_batches_;  // of the keys of a state
  int devices_;
  int layers_;
  std::vector<int> speed_class_;  // of each device
  // By speed class, of the layers before each layer.
  std::vector<std::vector<Nanos>> f_, b_, w_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_LAYOUT_LOADS_H_
