// Whether indivisible items of few kinds fit into bins, exactly: the question
// behind a bound on layers that are whole.

#ifndef OCTOPIPE_COMPILER_BOUNDS_PACKING_H_
#define OCTOPIPE_COMPILER_BOUNDS_PACKING_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace octopipe {

// `count` items that need the same. An item in a bin of type t takes
// needs[t][r] ≥ 0 of its resource r.
struct ItemKind {
  int count = 0;
  std::vector<std::vector<int64_t>> needs;

  friend bool operator<(const ItemKind& a, const ItemKind& b) {
    return a.needs < b.needs;
  }
};

// How much of each resource a bin has; nullopt: the bin cannot be used so.
using BinRoom = std::optional<std::vector<int64_t>>;

// One bin of a sequence. Beside the items there is one key item, which some bin
// must take.
struct Bin {
  int type = 0;
  BinRoom room;           // without the key item
  BinRoom room_with_key;  // what the key item leaves
};

// The sequences of bins to choose from: every path from node 0. Each bin goes
// from a node to a later one.
struct BinChoices {
  struct Step {
    int from = 0;
    int to = 0;
    Bin bin;
  };
  int nodes = 1;
  std::vector<Step> steps;  // ascending by `from`
};

enum class Fit { kFits, kDoesNotFit, kTooMuchWork };

// A dynamic program over the bins of a path: for each vector of counts of all
// kinds but one, how many of that one can be packed beside them. A bin is
// filled in every way that leaves no room for another item. Exact; takes
// O(paths' bins · ways · vectors), each counted off `budget`, and gives up when
// that is spent.
Fit FitIntoBins(std::vector<ItemKind> kinds, const BinChoices& bins,
                int64_t& budget);

// Merges kinds of items, those that lose least first, until the vectors that
// FitIntoBins works on are at most `most_vectors`, which is ≥ 1. A merged kind
// needs of each resource the least of its parts: what fits still fits. Equal
// kinds are merged and items that need nothing are left out in any case.
std::vector<ItemKind> MergeKinds(std::vector<ItemKind> kinds,
                                 int64_t most_vectors);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_PACKING_H_
