#include "compiler/search/order_climber.h"

#include <algorithm>
#include <utility>

#include "compiler/search/priority_weights.h"
#include "compiler/simulator/memory_timeline.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

OrderClimber::OrderClimber(const StageTable& table,
                           absl::Span<const Bytes> room)
    : table_(table), room_(room.begin(), room.end()), evaluator_(table) {}

size_t OrderClimber::ItemOf(const WorkItem& item) const {
  return static_cast<size_t>(TaskOf(item.kind, item.stage)) *
             table_.micro_batches +
         item.micro_batch;
}

void OrderClimber::Load(const Order& order) {
  order_ = order;
  places_.assign(
      3 * static_cast<size_t>(table_.num_stages()) * table_.micro_batches,
      {-1, -1});
  held_.resize(table_.num_devices);
  for (int d = 0; d < table_.num_devices; ++d) {
    const std::vector<WorkItem>& program = order_.programs[d];
    held_[d].assign(program.size() + 1, 0);
    for (size_t i = 0; i < program.size(); ++i) {
      places_[ItemOf(program[i])] = {d, static_cast<int>(i)};
      held_[d][i + 1] =
          held_[d][i] +
          MemoryEffectOf(table_.stages[program[i].stage], program[i].kind).kept;
    }
  }
}

Nanos OrderClimber::EndOf(const Place& place) const {
  const WorkItem& item = order_.programs[place.device][place.position];
  return evaluator_.Starts(place.device)[place.position] +
         DurationOf(table_.stages[item.stage], item.kind);
}

OrderClimber::Place OrderClimber::BindingInput(const Place& place) const {
  const WorkItem& item = order_.programs[place.device][place.position];
  const size_t m = item.micro_batch;
  Place binding = {-1, -1};
  Nanos latest = -1;
  auto consider = [&](TaskKind kind, int stage, Nanos travel) {
    const Place& input =
        places_[TaskOf(kind, stage) * size_t(table_.micro_batches) + m];
    const Nanos arrival = EndOf(input) + travel;
    if (arrival > latest) {
      latest = arrival;
      binding = input;
    }
  };
  switch (item.kind) {
    case WorkKind::kForward:
      for (int e : table_.in_edges[item.stage]) {
        const StageEdge& edge = table_.edges[e];
        consider(TaskKind::kForward, edge.from,
                 edge.activation_transfer_ns + edge.activation_latency_ns);
      }
      break;
    case WorkKind::kWeightGradient:
      consider(TaskKind::kGradient, item.stage, 0);
      break;
    default: {
      for (int e : table_.out_edges[item.stage]) {
        const StageEdge& edge = table_.edges[e];
        if (!edge.needs_grad) continue;
        consider(TaskKind::kGradient, edge.to,
                 edge.gradient_transfer_ns + edge.gradient_latency_ns);
      }
      if (latest < 0) consider(TaskKind::kForward, item.stage, 0);
      break;
    }
  }
  return binding;
}

bool OrderClimber::Follows(const WorkItem& item, const WorkItem& before) const {
  if (item.micro_batch != before.micro_batch) {
    // Micro-batches of a task stay in turn.
    return TaskOf(item.kind, item.stage) == TaskOf(before.kind, before.stage);
  }
  if (item.stage == before.stage) return true;
  if (item.kind == WorkKind::kWeightGradient ||
      before.kind == WorkKind::kWeightGradient) {
    return false;
  }
  // Stages of one device that follow each other; other orders that contradict
  // the data flow are found by the evaluator.
  return (item.kind == WorkKind::kForward) ==
             (before.kind == WorkKind::kForward) &&
         std::abs(item.stage - before.stage) == 1;
}

bool OrderClimber::IsAllowed(const Move& move) const {
  const std::vector<WorkItem>& program = order_.programs[move.device];
  const WorkItem& moved = program[move.from];
  const int low = std::min(move.from, move.to);
  const int high = std::max(move.from, move.to);
  for (int i = low; i <= high; ++i) {
    if (i == move.from) continue;
    if (move.to < move.from ? Follows(moved, program[i])
                            : Follows(program[i], moved)) {
      return false;
    }
  }
  if (room_[move.device] == 0) return true;
  Bytes held = held_[move.device][low];
  auto runs = [&](const WorkItem& item) {
    const MemoryEffect effect =
        MemoryEffectOf(table_.stages[item.stage], item.kind);
    const bool fits = held + effect.rise <= room_[move.device];
    held += effect.kept;
    return fits;
  };
  if (move.to < move.from && !runs(moved)) return false;
  for (int i = low; i <= high; ++i) {
    if (i != move.from && !runs(program[i])) return false;
  }
  return move.to < move.from || runs(moved);
}

void OrderClimber::AddMove(int device, int from, int to) {
  if (from != to) moves_.push_back({device, from, to});
}

void OrderClimber::FindMoves(std::mt19937_64& random) {
  moves_.clear();
  Place at = {-1, -1};
  Nanos last = -1;
  for (int d = 0; d < table_.num_devices; ++d) {
    const int items = static_cast<int>(order_.programs[d].size());
    if (items == 0) continue;
    const Place end = {d, items - 1};
    if (EndOf(end) > last) {
      last = EndOf(end);
      at = end;
    }
  }
  while (at.device >= 0) {
    // The block that ends here: back along the device while nobody waits.
    const int d = at.device, back = at.position;
    const auto starts = evaluator_.Starts(d);
    int front = back;
    Place input = BindingInput({d, front});
    for (;;) {
      const bool by_device =
          front > 0 && EndOf({d, front - 1}) == starts[front];
      const bool by_input =
          input.device >= 0 && input.device != d &&
          (!by_device || EndOf(input) == starts[front]);
      if (!by_device || (by_input && Below(random, 2) == 0)) break;
      --front;
      input = BindingInput({d, front});
    }
    const int length = back - front + 1;
    if (length > 1) {
      AddMove(d, front + 1, front);
      if (length > 2) AddMove(d, back, back - 1);
      for (int n = std::min(4, length / 2); n > 0; --n) {
        const int i = front + static_cast<int>(Below(random, length));
        AddMove(d, i, Below(random, 2) == 0 ? front : back);
      }
    }
    at = input;
    if (at.device == d) {
      // The same device, before an idle time: a message that waits.
      if (at.position >= front) break;
    }
  }
}

void OrderClimber::Drop(size_t move) {
  moves_[move] = moves_.back();
  moves_.pop_back();
}

void OrderClimber::Apply(const Move& move) {
  std::vector<WorkItem>& program = order_.programs[move.device];
  const auto begin = program.begin();
  if (move.from < move.to) {
    std::rotate(begin + move.from, begin + move.from + 1, begin + move.to + 1);
  } else {
    std::rotate(begin + move.to, begin + move.from, begin + move.from + 1);
  }
  const int low = std::min(move.from, move.to);
  const int high = std::max(move.from, move.to);
  std::vector<Bytes>& held = held_[move.device];
  for (int i = low; i <= high; ++i) {
    const WorkItem& item = program[i];
    places_[ItemOf(item)] = {move.device, i};
    held[i + 1] =
        held[i] + MemoryEffectOf(table_.stages[item.stage], item.kind).kept;
  }
}

void OrderClimber::Climb(const Order& order, int64_t evaluations,
                         Nanos threshold, std::mt19937_64& random,
                         const std::function<bool()>& interrupted) {
  Load(order);
  best_order_ = order;
  best_makespan_ = OrderEvaluator::kNever;
  if (!evaluator_.SetOrder(order).ok()) return;
  Nanos current = evaluator_.Makespan();
  best_makespan_ = current;
  FindMoves(random);
  int64_t boost = 1;  // of the threshold, while nothing is accepted
  for (int64_t n = 0; n < evaluations; ++n) {
    if (n % 64 == 0 && interrupted()) return;
    if (moves_.empty()) {
      // Another longest path, or the same one with other moves.
      current = evaluator_.Makespan();
      FindMoves(random);
      boost = std::min<int64_t>(2 * boost, 64);
      if (moves_.empty()) return;
    }
    const size_t draw = Below(random, moves_.size());
    const Move move = moves_[draw];
    if (!IsAllowed(move)) {
      Drop(draw);
      continue;
    }
    const Nanos allowance =
        boost * (threshold / 1024 * ((evaluations - n) * 1024 / evaluations));
    evaluator_.MoveItem(move.device, move.from, move.to);
    const std::optional<Nanos> makespan =
        evaluator_.MakespanIfBelow(current + allowance + 1);
    if (!makespan) {
      evaluator_.MoveItem(move.device, move.to, move.from);
      Drop(draw);
      continue;
    }
    Apply(move);
    boost = 1;
    current = *makespan;
    if (current < best_makespan_) {
      best_makespan_ = current;
      best_order_ = order_;
    }
    FindMoves(random);
  }
}

}  // namespace octopipe
