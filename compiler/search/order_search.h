// Branch and bound over the orders of one small layout.

#ifndef OCTOPIPE_COMPILER_SEARCH_ORDER_SEARCH_H_
#define OCTOPIPE_COMPILER_SEARCH_ORDER_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

// Builds active schedules (Giffler, Thompson 1960): of all items that could run
// next the one that would end first tells the device, and what could start on
// it before that end are the branches. Where memory is limited or messages
// queue to run an item sooner can do harm; then all semi-active schedules are
// built, in the order of their starts. Micro-batches are alike, so each task
// takes them in turn. Each backward that may be split is tried whole too if
// that saves launch overhead.
//
// A branch ends where its work or its longest chain cannot end in time, or
// where the same items have been done in no more time by another.
class OrderSearch {
 public:
  // `table` outlives the search.
  OrderSearch(const StageTable& table, bool split_backward, Nanos overhead_ns);

  // A makespan that no order is below.
  Nanos Floor() const { return floor_; }

  // Seeks orders below `limit`, each below the one before, and visits at most
  // `nodes` partial schedules, from which it takes those it has visited. The
  // least makespan found.
  std::optional<Nanos> Run(Nanos limit, int64_t* nodes);

  // That of the last makespan returned.
  const Order& order() const { return best_; }

 private:
  struct State {
    std::vector<int> next;       // micro-batch, of each F and each gradient
    std::vector<uint64_t> owes;  // micro-batches whose W is open, of each stage
    std::vector<int> missing;    // inputs, of each task and micro-batch
    std::vector<Nanos> ready_ns;  // by those that have come
    std::vector<Nanos> device_free_ns;
    std::vector<Nanos> channel_free_ns;
    std::vector<Nanos> work_left_ns;  // of each device, at least
    std::vector<Bytes> held;          // of each device
    Nanos last_start_ns = 0;
    int items_left = 0;
  };
  struct Choice {
    WorkItem item;
    Nanos start_ns = 0;
    Nanos end_ns = 0;
  };

  void FindTails();
  State Begin() const;
  void Search(const State& state);
  // What can run next, on all devices.
  std::vector<Choice> Choices(const State& state) const;
  std::vector<Choice> Branches(const std::vector<Choice>& choices) const;
  void Apply(const Choice& choice, State* state) const;
  Nanos Bound(const State& state, const std::vector<Choice>& choices) const;
  // Whether the same items have been done before in no more time; if not, keeps
  // this.
  bool IsDominated(const State& state);

  const StageTable& table_;
  const WorkDag dag_;
  const bool split_;
  const Nanos overhead_ns_;
  const int micro_batches_;
  bool by_starts_ = false;    // all semi-active schedules
  std::vector<Nanos> tails_;  // of each task, itself included
  Nanos floor_ = 0;

  Nanos limit_ = 0;
  int64_t nodes_left_ = 0;
  std::vector<WorkItem> path_;
  absl::flat_hash_map<std::string, std::vector<std::vector<Nanos>>> visited_;
  std::optional<Nanos> found_;
  Order best_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_ORDER_SEARCH_H_
