// Local search over the order itself, for a given placement.

#ifndef OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_
#define OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/order_evaluator.h"

namespace octopipe {

// A makespan falls only if every longest path gets shorter, and a path gets
// shorter only where it runs through consecutive items of one device, a block:
// by another item first or last in the block. So the moves are those of the
// job-shop problem: the first or last two items of a block trade places
// (Nowicki, Smutnicki 1996), or an item goes to the front or the back of its
// block (Balas, Vazacopoulos 1998). They are drawn along one longest path at a
// time, and accepted below a threshold that falls to zero. Now and then a layer
// passes from a stage to its neighbour, and the order stays.
class OrderClimber {
 public:
  // `problem` and `plan`, which solves it, are valid; `problem` outlives the
  // climber. `moves_layers`: whether the partition may change.
  OrderClimber(const Problem& problem, const Plan& plan, bool moves_layers);

  // Evaluates that many changes, or goes on from the call before. The best plan
  // and its makespan are in best_plan() and best_makespan(), no longer than
  // what the first plan takes. A step may cost `from` at first and `to` at
  // last. Returns early when `interrupted` says so.
  void Climb(int64_t evaluations, Nanos from, Nanos to, std::mt19937_64& random,
             const std::function<bool()>& interrupted);

  const Plan& best_plan() const { return best_plan_; }
  // OrderEvaluator::kNever before Climb, and if the plan does not solve the
  // problem.
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
  // What the activations hold before each item; false if that overfills the
  // device.
  bool TraceMemory(const StageTable& table, int device,
                   std::vector<Bytes>* held) const;
  Bytes RoomOf(const StageTable& table, int device) const;
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
  // A layer passes between two stages, if that ends below `limit`.
  std::optional<Nanos> MoveLayer(Nanos limit, std::mt19937_64& random);
  void Keep(Nanos makespan);

  const Problem& problem_;
  const bool moves_layers_;
  Plan plan_;
  StageTable table_;
  std::vector<Bytes> room_;  // of each device, for activations; 0: not limited
  OrderEvaluator evaluator_;
  bool solves_ = false;        // whether the plan solves the problem
  Nanos current_ = 0;          // makespan
  int64_t boost_ = 1;          // of the threshold, while nothing is accepted
  std::vector<Place> places_;  // of each item
  // Held by the activations before each item of each device.
  std::vector<std::vector<Bytes>> held_;
  std::vector<Bytes> held_after_[2];  // scratch
  std::vector<Move> moves_;
  std::vector<Nanos> path_ns_;  // that the longest path spends on each device
  int path_device_ = 0;         // where it spends most
  Plan best_plan_;
  Nanos best_makespan_ = OrderEvaluator::kNever;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_ORDER_CLIMBER_H_
