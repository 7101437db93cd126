// Serial list scheduling: items in the order of their keys, each in the first
// gap of its device that is long enough.

#ifndef OCTOPIPE_COMPILER_SEARCH_GAP_SCHEDULER_H_
#define OCTOPIPE_COMPILER_SEARCH_GAP_SCHEDULER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/search/task_graph.h"

namespace octopipe {

// Unlike KeyScheduler, which never idles while something is ready, this keeps a
// device free for an important item that comes soon, for that item has its
// place already when lesser ones look for theirs. If the keys are the starts of
// a schedule, no item starts later than there, so a pass in each direction of
// time never lengthens a schedule (justification; Kolisch 1996, Valls,
// Ballestin, Quintanilla 2005).
//
// Caps on memory count only as windows, and transfers as delays without queues:
// KeyScheduler has the last word. Buffers are used again.
class GapScheduler {
 public:
  // `graph` is whole and outlives the scheduler's use of it.
  void SetGraph(const TaskGraph& graph) { graph_ = &graph; }

  // `keys` and `windows` as in SchedulingKeys; of tasks that can go on, the one
  // whose next micro-batch has the least key. The end of the last item.
  // -1 if the windows let nothing go on, which those of a schedule never do.
  Nanos Run(absl::Span<const int64_t> keys, absl::Span<const int> windows);

  // Start of each item, numbered as the keys.
  absl::Span<const Nanos> Starts() const { return starts_; }

 private:
  struct Gap {
    Nanos begin;
    Nanos end;
  };
  struct Head {
    int64_t key;
    int slot;
    // Whether `other` goes before this.
    bool operator<(const Head& other) const {
      return key != other.key ? key > other.key : slot > other.slot;
    }
  };

  void Offer(int slot);
  // Takes the place of `duration` from `earliest` on; returns its start.
  Nanos Place(int device, Nanos earliest, Nanos duration);

  const TaskGraph* graph_ = nullptr;
  absl::Span<const int64_t> keys_;
  std::vector<std::vector<Gap>> gaps_;  // of each device, the last without end
  std::vector<Nanos> shortest_;         // item of each device
  std::vector<int> window_;             // of each slot
  std::vector<int> next_;               // micro-batch of each slot
  std::vector<Nanos> end_;              // of the last placed item of each slot
  std::vector<Nanos> ready_;            // of each slot and micro-batch
  std::vector<int> missing_;
  std::vector<Head> heads_;  // a heap
  std::vector<uint8_t> offered_;
  std::vector<Nanos> starts_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_GAP_SCHEDULER_H_
