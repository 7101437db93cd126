// Sorts numbers by small keys in linear time.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_COUNTING_SORT_H_
#define OCTOPIPE_COMPILER_TRANSFERS_COUNTING_SORT_H_

#include <cstdint>
#include <vector>

namespace octopipe {

// The numbers 0 to `size` − 1 by ascending key_of(number), which is at least 0
// and below `keys`; those of one key stay in order. In the result those of key
// k start at begin[k] and end at begin[k + 1].
template <typename KeyOf>
std::vector<int32_t> CountingSort(int64_t size, int64_t keys,
                                  const KeyOf& key_of,
                                  std::vector<int32_t>& begin) {
  begin.assign(keys + 1, 0);
  for (int64_t i = 0; i < size; ++i) ++begin[key_of(i) + 1];
  for (int64_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
  std::vector<int32_t> next(begin.begin(), begin.end() - 1);
  std::vector<int32_t> sorted(size);
  for (int64_t i = 0; i < size; ++i) {
    sorted[next[key_of(i)]++] = static_cast<int32_t>(i);
  }
  return sorted;
}

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_COUNTING_SORT_H_
