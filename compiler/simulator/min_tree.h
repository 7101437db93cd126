// A fixed set of slots with keys, the least of which is always at hand.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_MIN_TREE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_MIN_TREE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace octopipe {

// A tournament tree: O(log slots) to set a key or to find the least.
class MinTree {
 public:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  explicit MinTree(int slots) {
    while (leaves_ < slots) leaves_ *= 2;
    keys_.assign(2 * leaves_, kNone);
  }

  uint64_t Min() const { return keys_[1]; }
  uint64_t Get(int slot) const { return keys_[leaves_ + slot]; }

  // The first slot whose key is Min(), which is not kNone.
  int ArgMin() const {
    int node = 1;
    while (node < leaves_) {
      node *= 2;
      node += keys_[node] != keys_[1];
    }
    return node - leaves_;
  }

  void Set(int slot, uint64_t key) {
    int node = leaves_ + slot;
    keys_[node] = key;
    while (node > 1) {
      const uint64_t least = std::min(keys_[node], keys_[node ^ 1]);
      node /= 2;
      if (keys_[node] == least) return;
      keys_[node] = least;
    }
  }

 private:
  int leaves_ = 1;
  std::vector<uint64_t> keys_;  // node n has the children 2n and 2n + 1
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_MIN_TREE_H_
