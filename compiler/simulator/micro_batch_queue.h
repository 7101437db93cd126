// Micro-batches that wait for a task, the oldest first.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_MICRO_BATCH_QUEUE_H_
#define OCTOPIPE_COMPILER_SIMULATOR_MICRO_BATCH_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace octopipe {

// A priority queue of distinct numbers that mostly come in ascending order:
// O(1) for those that do, O(log size) for those that do not.
class MicroBatchQueue {
 public:
  bool IsEmpty() const { return first_ == run_.size() && heap_.empty(); }

  // Not empty.
  int32_t Oldest() const {
    if (first_ == run_.size()) return heap_.front();
    if (heap_.empty()) return run_[first_];
    return std::min(run_[first_], heap_.front());
  }

  void Push(int32_t micro_batch) {
    if (first_ == run_.size()) {
      run_.clear();
      first_ = 0;
    }
    if (run_.empty() || micro_batch > run_.back()) {
      run_.push_back(micro_batch);
    } else {
      heap_.push_back(micro_batch);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
  }

  // Not empty.
  void PopOldest() {
    if (heap_.empty() ||
        (first_ < run_.size() && run_[first_] < heap_.front())) {
      ++first_;
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
  }

 private:
  std::vector<int32_t> run_;  // ascending; what is before first_ is gone
  size_t first_ = 0;
  std::vector<int32_t> heap_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_MICRO_BATCH_QUEUE_H_
