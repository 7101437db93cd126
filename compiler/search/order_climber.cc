#include "compiler/search/order_climber.h"

#include <algorithm>
#include <utility>

#include "compiler/search/priority_weights.h"
#include "compiler/simulator/memory_timeline.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

// One change in so many is that of a boundary: it costs a whole simulation.
constexpr int kStepsOfLayerMove = 32;

}  // namespace

OrderClimber::OrderClimber(const Problem& problem, const Plan& plan,
                           bool moves_layers)
    : problem_(problem),
      moves_layers_(moves_layers && plan.partition.stages() > 1),
      plan_(plan),
      table_(BuildStageTable(problem, plan.partition, plan.placement)),
      evaluator_(table_),
      places_(
          3 * static_cast<size_t>(table_.num_stages()) * table_.micro_batches,
          Place{-1, -1}),
      held_(table_.num_devices) {
  for (int d = 0; d < table_.num_devices; ++d) {
    room_.push_back(RoomOf(table_, d));
    TraceMemory(table_, d, &held_[d]);
    const std::vector<WorkItem>& program = plan_.order.programs[d];
    for (size_t i = 0; i < program.size(); ++i) {
      places_[ItemOf(program[i])] = {d, static_cast<int>(i)};
    }
  }
  solves_ = evaluator_.SetOrder(plan_.order).ok() &&
            evaluator_.Makespan() != OrderEvaluator::kNever;
  if (solves_) current_ = evaluator_.Makespan();
}

size_t OrderClimber::ItemOf(const WorkItem& item) const {
  return static_cast<size_t>(TaskOf(item.kind, item.stage)) *
             table_.micro_batches +
         item.micro_batch;
}

Bytes OrderClimber::RoomOf(const StageTable& table, int device) const {
  const Bytes bytes = table.memory_bytes[device];
  // A room of nothing is still a limit.
  return bytes == 0 ? 0
                    : std::max<Bytes>(1, bytes - table.static_bytes[device]);
}

bool OrderClimber::TraceMemory(const StageTable& table, int device,
                               std::vector<Bytes>* held) const {
  const std::vector<WorkItem>& program = plan_.order.programs[device];
  const Bytes room = RoomOf(table, device);
  held->assign(program.size() + 1, 0);
  bool fits = true;
  for (size_t i = 0; i < program.size(); ++i) {
    const MemoryEffect effect =
        MemoryEffectOf(table.stages[program[i].stage], program[i].kind);
    fits &= room == 0 || (*held)[i] + effect.rise <= room;
    (*held)[i + 1] = (*held)[i] + effect.kept;
  }
  return fits;
}

Nanos OrderClimber::EndOf(const Place& place) const {
  const WorkItem& item = plan_.order.programs[place.device][place.position];
  return evaluator_.Starts(place.device)[place.position] +
         DurationOf(table_.stages[item.stage], item.kind);
}

OrderClimber::Place OrderClimber::BindingInput(const Place& place) const {
  const WorkItem& item = plan_.order.programs[place.device][place.position];
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
  const std::vector<WorkItem>& program = plan_.order.programs[move.device];
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
  path_ns_.assign(table_.num_devices, 0);
  Place at = {-1, -1};
  Nanos last = -1;
  for (int d = 0; d < table_.num_devices; ++d) {
    const int items = static_cast<int>(plan_.order.programs[d].size());
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
      const bool by_input = input.device >= 0 && input.device != d &&
                            (!by_device || EndOf(input) == starts[front]);
      if (!by_device || (by_input && Below(random, 2) == 0)) break;
      --front;
      input = BindingInput({d, front});
    }
    path_ns_[d] += EndOf({d, back}) - starts[front];
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
  path_device_ = static_cast<int>(
      std::max_element(path_ns_.begin(), path_ns_.end()) - path_ns_.begin());
}

void OrderClimber::Drop(size_t move) {
  moves_[move] = moves_.back();
  moves_.pop_back();
}

void OrderClimber::Apply(const Move& move) {
  std::vector<WorkItem>& program = plan_.order.programs[move.device];
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

std::optional<Nanos> OrderClimber::MoveLayer(Nanos limit,
                                             std::mt19937_64& random) {
  Partition partition = plan_.partition;
  std::vector<int>& begin = partition.begin;
  const int stages = partition.stages();
  int s = 1 + static_cast<int>(Below(random, stages - 1));
  int by = Below(random, 2) == 0 ? 1 : -1;
  if (Below(random, 4) != 0) {
    // Off the device that the longest path keeps to.
    int t = static_cast<int>(Below(random, stages));
    for (int n = 0; n < stages; ++n) {
      if (plan_.placement.device[t] == path_device_) break;
      t = (t + 1) % stages;
    }
    // Its first layer to the stage before, or its last to that behind.
    s = by > 0 ? t : t + 1;
    if (s == 0 || s == stages) return std::nullopt;
  }
  begin[s] += by;
  if (begin[s] <= begin[s - 1] || begin[s] >= begin[s + 1]) {
    return std::nullopt;
  }
  StageTable table = BuildStageTable(problem_, partition, plan_.placement);
  for (int t : {s - 1, s}) {
    if (table.stages[t].splittable != table_.stages[t].splittable) {
      return std::nullopt;
    }
  }
  // The evaluator keeps the edges that it was made with.
  auto same = [](const StageEdge& a, const StageEdge& b) {
    return a.from == b.from && a.to == b.to && a.needs_grad == b.needs_grad &&
           a.activation_transfer_ns == b.activation_transfer_ns &&
           a.gradient_transfer_ns == b.gradient_transfer_ns;
  };
  if (!std::equal(table.edges.begin(), table.edges.end(), table_.edges.begin(),
                  table_.edges.end(), same)) {
    return std::nullopt;
  }
  for (int k = 0; k < 2; ++k) {
    if (!TraceMemory(table, table.stages[s - k].device, &held_after_[k])) {
      return std::nullopt;
    }
  }
  for (int t : {s - 1, s}) evaluator_.SetStageCosts(t, table.stages[t]);
  const std::optional<Nanos> makespan = evaluator_.MakespanIfBelow(limit);
  if (!makespan) {
    for (int t : {s - 1, s}) evaluator_.SetStageCosts(t, table_.stages[t]);
    return std::nullopt;
  }
  for (int k = 1; k >= 0; --k) {
    // If both are on one device, the traces are the same.
    const int d = table.stages[s - k].device;
    held_[d] = held_after_[k];
    room_[d] = RoomOf(table, d);
  }
  plan_.partition = std::move(partition);
  table_ = std::move(table);
  return makespan;
}

void OrderClimber::Keep(Nanos makespan) {
  if (makespan >= best_makespan_) return;
  best_makespan_ = makespan;
  best_plan_ = plan_;
}

void OrderClimber::Climb(int64_t evaluations, Nanos from, Nanos to,
                         std::mt19937_64& random,
                         const std::function<bool()>& interrupted) {
  if (!solves_) return;
  if (best_makespan_ == OrderEvaluator::kNever) Keep(current_);
  current_ = evaluator_.Makespan();
  FindMoves(random);
  for (int64_t n = 0; n < evaluations; ++n) {
    if (n % 64 == 0 && interrupted()) return;
    const Nanos allowance =
        boost_ * (from - (from - to) / 1024 * (n * 1024 / evaluations));
    if (moves_layers_ && Below(random, kStepsOfLayerMove) == 0) {
      const auto makespan = MoveLayer(current_ + allowance + 1, random);
      if (makespan) {
        current_ = *makespan;
        Keep(current_);
      } else {
        evaluator_.Makespan();
      }
      FindMoves(random);
      continue;
    }
    if (moves_.empty()) {
      // Another longest path, or the same one with other moves.
      current_ = evaluator_.Makespan();
      FindMoves(random);
      boost_ = std::min<int64_t>(2 * boost_, 64);
      if (moves_.empty()) return;
    }
    const size_t draw = Below(random, moves_.size());
    const Move move = moves_[draw];
    if (!IsAllowed(move)) {
      Drop(draw);
      continue;
    }
    evaluator_.MoveItem(move.device, move.from, move.to);
    const std::optional<Nanos> makespan =
        evaluator_.MakespanIfBelow(current_ + allowance + 1);
    if (!makespan) {
      evaluator_.MoveItem(move.device, move.to, move.from);
      Drop(draw);
      continue;
    }
    Apply(move);
    boost_ = 1;
    current_ = *makespan;
    Keep(current_);
    FindMoves(random);
  }
}

}  // namespace octopipe
