#include "compiler/search/order_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "compiler/simulator/memory_timeline.h"

namespace octopipe {
namespace {

// Partial schedules that are kept of the same items.
constexpr size_t kMostKept = 12;

}  // namespace

OrderSearch::OrderSearch(const StageTable& table, bool split_backward,
                         Nanos overhead_ns)
    : table_(table),
      dag_(BuildWorkDag(table)),
      split_(split_backward),
      overhead_ns_(overhead_ns),
      micro_batches_(table.micro_batches) {
  for (Bytes bytes : table.memory_bytes) by_starts_ |= bytes != 0;
  for (const WorkArc& arc : dag_.arcs) by_starts_ |= arc.transfer_ns > 0;
  FindTails();
  const State state = Begin();
  floor_ = Bound(state, Choices(state));
}

void OrderSearch::FindTails() {
  const int stages = table_.num_stages();
  tails_.assign(3 * stages, 0);
  auto behind = [&](WorkKind kind, int s) {
    Nanos most = 0;
    for (int a : dag_.outputs[OpOf(kind, s)]) {
      const WorkArc& arc = dag_.arcs[a];
      most = std::max(most,
                      arc.transfer_ns + arc.latency_ns + tails_[arc.consumer]);
    }
    return most;
  };
  // Gradients flow to lower stages, activations to higher ones.
  for (int s = 0; s < stages; ++s) {
    const StageCost& stage = table_.stages[s];
    const Nanos whole = stage.bw_ns + behind(WorkKind::kBackward, s);
    tails_[TaskOf(TaskKind::kWeight, s)] = stage.w_ns;
    Nanos& tail = tails_[TaskOf(TaskKind::kGradient, s)];
    tail = whole;
    if (stage.splittable && split_) {
      tail = std::min(whole, stage.b_ns + behind(WorkKind::kInputGradient, s));
    }
  }
  for (int s = stages - 1; s >= 0; --s) {
    tails_[TaskOf(TaskKind::kForward, s)] =
        table_.stages[s].f_ns + behind(WorkKind::kForward, s);
  }
}

OrderSearch::State OrderSearch::Begin() const {
  const int stages = table_.num_stages();
  State state;
  state.next.assign(2 * stages, 0);
  state.owes.assign(stages, 0);
  state.device_free_ns.assign(table_.num_devices, 0);
  state.channel_free_ns.assign(table_.num_channels, 0);
  state.work_left_ns.assign(table_.num_devices, 0);
  state.held = table_.static_bytes;
  state.ready_ns.assign(3 * stages * micro_batches_, 0);
  state.missing.resize(3 * stages * micro_batches_);
  for (int task = 0; task < 3 * stages; ++task) {
    std::fill_n(state.missing.begin() + task * micro_batches_, micro_batches_,
                static_cast<int>(dag_.inputs[task].size()));
  }
  for (const StageCost& stage : table_.stages) {
    state.work_left_ns[stage.device] +=
        micro_batches_ * (stage.f_ns + stage.bw_ns);
  }
  state.items_left = 2 * stages * micro_batches_;
  return state;
}

std::vector<OrderSearch::Choice> OrderSearch::Choices(
    const State& state) const {
  std::vector<Choice> choices;
  auto offer = [&](const WorkItem& item, Nanos ready) {
    const StageCost& stage = table_.stages[item.stage];
    const int d = stage.device;
    const Bytes capacity = table_.memory_bytes[d];
    if (capacity != 0 &&
        state.held[d] + MemoryEffectOf(stage, item.kind).rise > capacity) {
      return;
    }
    const Nanos start = std::max(state.device_free_ns[d], ready);
    if (by_starts_ && start < state.last_start_ns) return;
    choices.push_back({item, start, start + DurationOf(stage, item.kind)});
  };
  for (int s = 0; s < table_.num_stages(); ++s) {
    const bool splittable = split_ && table_.stages[s].splittable;
    for (TaskKind kind : {TaskKind::kGradient, TaskKind::kForward}) {
      const int m = state.next[2 * s + static_cast<int>(kind)];
      const int index = TaskOf(kind, s) * micro_batches_ + m;
      if (m == micro_batches_ || state.missing[index] > 0) continue;
      const Nanos ready = state.ready_ns[index];
      if (kind == TaskKind::kForward) {
        offer(Forward(s, m), ready);
        continue;
      }
      if (splittable) offer(InputGradient(s, m), ready);
      if (!splittable || overhead_ns_ > 0) offer(Backward(s, m), ready);
    }
    if (state.owes[s] == 0) continue;
    int m = 0;
    while ((state.owes[s] >> m & 1) == 0) ++m;
    offer(WeightGradient(s, m), 0);
  }
  return choices;
}

std::vector<OrderSearch::Choice> OrderSearch::Branches(
    const std::vector<Choice>& choices) const {
  if (by_starts_) return choices;
  const auto first = std::min_element(
      choices.begin(), choices.end(),
      [](const Choice& a, const Choice& b) { return a.end_ns < b.end_ns; });
  std::vector<Choice> branches;
  if (first == choices.end()) return branches;
  const int device = table_.stages[first->item.stage].device;
  for (auto it = choices.begin(); it != choices.end(); ++it) {
    if (table_.stages[it->item.stage].device != device) continue;
    if (it == first || it->start_ns < first->end_ns) {
      branches.push_back(*it);
    }
  }
  return branches;
}

void OrderSearch::Apply(const Choice& choice, State* state) const {
  const WorkItem& item = choice.item;
  const StageCost& stage = table_.stages[item.stage];
  const int d = stage.device;
  state->device_free_ns[d] = choice.end_ns;
  state->held[d] += MemoryEffectOf(stage, item.kind).kept;
  --state->items_left;
  state->last_start_ns = choice.start_ns;
  switch (item.kind) {
    case WorkKind::kForward:
      ++state->next[2 * item.stage];
      state->work_left_ns[d] -= stage.f_ns;
      break;
    case WorkKind::kInputGradient:
      ++state->next[2 * item.stage + 1];
      ++state->items_left;
      state->owes[item.stage] |= uint64_t{1} << item.micro_batch;
      state->work_left_ns[d] += stage.w_ns - stage.bw_ns;
      break;
    case WorkKind::kWeightGradient:
      state->owes[item.stage] &= ~(uint64_t{1} << item.micro_batch);
      state->work_left_ns[d] -= stage.w_ns;
      break;
    default:
      ++state->next[2 * item.stage + 1];
      state->work_left_ns[d] -= stage.bw_ns;
      break;
  }
  for (int a : dag_.outputs[OpOf(item.kind, item.stage)]) {
    const WorkArc& arc = dag_.arcs[a];
    Nanos arrival = choice.end_ns;
    if (arc.channel >= 0) {
      Nanos& free = state->channel_free_ns[arc.channel];
      free = std::max(free, arrival) + arc.transfer_ns;
      arrival = free + arc.latency_ns;
    }
    const int index = arc.consumer * micro_batches_ + item.micro_batch;
    --state->missing[index];
    state->ready_ns[index] = std::max(state->ready_ns[index], arrival);
  }
}

Nanos OrderSearch::Bound(const State& state,
                         const std::vector<Choice>& choices) const {
  constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
  Nanos bound = 0;
  Nanos first_end = kNever;
  std::vector<Nanos> first_start(table_.num_devices, kNever);
  for (const Choice& choice : choices) {
    const WorkItem& item = choice.item;
    Nanos& first = first_start[table_.stages[item.stage].device];
    first = std::min(first, choice.start_ns);
    first_end = std::min(first_end, choice.end_ns);
    // Whole or split, the tail of the task is the lesser of the two.
    bound = std::max(bound,
                     choice.start_ns + tails_[TaskOf(item.kind, item.stage)]);
  }
  for (int d = 0; d < table_.num_devices; ++d) {
    Nanos from = state.device_free_ns[d];
    // What cannot run yet waits for an item that ends no sooner than the first.
    if (state.work_left_ns[d] > 0 && first_end != kNever) {
      from = std::max(from, std::min(first_start[d], first_end));
    }
    bound = std::max(bound, from + state.work_left_ns[d]);
  }
  return bound;
}

bool OrderSearch::IsDominated(const State& state) {
  std::string key;
  key.reserve(state.next.size() + state.owes.size() * sizeof(uint64_t));
  for (int next : state.next) key.push_back(static_cast<char>(next));
  for (uint64_t owes : state.owes) {
    key.append(reinterpret_cast<const char*>(&owes), sizeof(owes));
  }
  std::vector<Nanos> times = {by_starts_ ? state.last_start_ns : 0};
  times.insert(times.end(), state.device_free_ns.begin(),
               state.device_free_ns.end());
  times.insert(times.end(), state.channel_free_ns.begin(),
               state.channel_free_ns.end());
  for (int s = 0; s < table_.num_stages(); ++s) {
    const Nanos free = state.device_free_ns[table_.stages[s].device];
    for (TaskKind kind : {TaskKind::kForward, TaskKind::kGradient}) {
      const int first = TaskOf(kind, s) * micro_batches_;
      for (int m = state.next[2 * s + static_cast<int>(kind)];
           m < micro_batches_; ++m) {
        times.push_back(std::max(free, state.ready_ns[first + m]));
      }
    }
  }
  std::vector<std::vector<Nanos>>& kept = visited_[key];
  auto no_later = [](const std::vector<Nanos>& a, const std::vector<Nanos>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<Nanos>());
  };
  for (const std::vector<Nanos>& other : kept) {
    if (no_later(other, times)) return true;
  }
  if (kept.size() < kMostKept) kept.push_back(std::move(times));
  return false;
}

void OrderSearch::Search(const State& state) {
  const std::vector<Choice> choices = Choices(state);
  if (state.items_left == 0) {
    limit_ = *std::max_element(state.device_free_ns.begin(),
                               state.device_free_ns.end());
    found_ = limit_;
    best_.programs.assign(table_.num_devices, {});
    for (const WorkItem& item : path_) {
      best_.programs[table_.stages[item.stage].device].push_back(item);
    }
    return;
  }
  struct Child {
    Nanos bound;
    Choice choice;
    State state;
  };
  std::vector<Child> children;
  for (const Choice& choice : Branches(choices)) {
    Child child{0, choice, state};
    Apply(choice, &child.state);
    child.bound = Bound(child.state, Choices(child.state));
    if (child.bound < limit_) children.push_back(std::move(child));
  }
  std::stable_sort(
      children.begin(), children.end(),
      [](const Child& a, const Child& b) { return a.bound < b.bound; });
  for (const Child& child : children) {
    if (nodes_left_ <= 0) return;
    if (child.bound >= limit_) continue;
    --nodes_left_;
    if (IsDominated(child.state)) continue;
    path_.push_back(child.choice.item);
    Search(child.state);
    path_.pop_back();
  }
}

std::optional<Nanos> OrderSearch::Run(Nanos limit, int64_t* nodes) {
  limit_ = limit;
  nodes_left_ = *nodes;
  found_.reset();
  visited_.clear();
  Search(Begin());
  *nodes = nodes_left_;
  return found_;
}

}  // namespace octopipe
