// Local search over the order itself, for a given layout.

#ifndef OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_
#define OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/order_evaluator.h"

namespace octopipe {

// A makespan falls only if every longest path gets shorter, and a path gets
// shorter only where it runs through consecutive items of one device, a block:
// by another item first or last in the block. So the moves are those of the
// job-shop problem: the first or last two items of a block trade places
// (Nowicki, Smutnicki 1996), or an item goes to the front or the back of its
// block (Balas, Vazacopoulos 1998). They are drawn along one longest path at a
// time, and accepted below a threshold that falls to zero.
class OrderClimber {
 public:
  // Of each limited device, `room` for activations; 0: not limited.
  OrderClimber(const StageTable& table, absl::Span<const Bytes> room);

  // Starts from `order`, which solves the problem, and evaluates `evaluations`
  // changes of it. The best order and its makespan are in best_order() and
  // best_makespan(), no longer than what `order` takes. `threshold` is what a
  // step may cost at first. Returns early when `interrupted` says so.
  void Climb(const Order& order, int64_t evaluations, Nanos threshold,
             std::mt19937_64& random, const std::function<bool()>& interrupted);

  const Order& best_order() const { return best_order_; }
  Nanos best_makespan() const { return best_makespan_; }

 private:
  struct Place {
    int device = 0;
    int position = 0;
  };
  struct Move {
    int device = 0;
    int from = 0;
    int to = 0;
  };

  size_t ItemOf(const WorkItem& item) const;
  void Load(const Order& order);
  Nanos EndOf(const Place& place) const;
  // The item whose end `place` waits for, other than that before it on its
  // device, or a device of -1.
  Place BindingInput(const Place& place) const;
  // Fills moves_ along a longest path that starts where it ends.
  void FindMoves(std::mt19937_64& random);
  void AddMove(int device, int from, int to);
  // Whether the items keep to the data flow on the device and to memory.
  bool IsAllowed(const Move& move) const;
  bool Follows(const WorkItem& item, const WorkItem& before) const;
  void Apply(const Move& move);
  void Drop(size_t move);

  const StageTable& table_;
  const std::vector<Bytes> room_;
  OrderEvaluator evaluator_;
  Order order_;
  std::vector<Place> places_;  // of each item
  // Held by the activations before each item of each device.
  std::vector<std::vector<Bytes>> held_;
  std::vector<Move> moves_;
  Order best_order_;
  Nanos best_makespan_ = OrderEvaluator::kNever;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_
