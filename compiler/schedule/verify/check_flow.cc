#include "compiler/schedule/verify/check_flow.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace octopipe {
namespace {

// Runs every device as far as it gets.
class Execution {
 public:
  Execution(const Order& order, const ItemIndex& index,
            const std::vector<StageNode>& graph)
      : order_(order),
        index_(index),
        graph_(graph),
        done_(order.programs.size(), 0),
        waiters_(order.programs.size()) {}

  // Returns the devices that could not finish, ascending.
  std::vector<int> Run() {
    std::vector<int> ready;
    for (int d = devices() - 1; d >= 0; --d) ready.push_back(d);
    while (!ready.empty()) {
      const int device = ready.back();
      ready.pop_back();
      Advance(device, ready);
    }
    std::vector<int> stuck;
    for (int d = 0; d < devices(); ++d) {
      if (!IsFinished(d)) stuck.push_back(d);
    }
    return stuck;
  }

  // What the next item of a stuck device still waits for.
  std::vector<ItemPlace> Unmet(int device) const {
    std::vector<ItemPlace> unmet;
    const WorkItem& item = order_.programs[device][done_[device]];
    if (!index_.Has(item, device, done_[device])) return unmet;
    ForEachNeed(index_, graph_, item, [&](const ItemPlace& need) {
      if (need.position >= done_[need.device]) unmet.push_back(need);
    });
    return unmet;
  }

  int64_t done(int device) const { return done_[device]; }
  int devices() const { return static_cast<int>(order_.programs.size()); }

 private:
  struct Waiter {
    int32_t position;  // of the item that it waits for
    int device;
    bool operator>(const Waiter& other) const {
      return position > other.position;
    }
  };
  using WaiterQueue =
      std::priority_queue<Waiter, std::vector<Waiter>, std::greater<Waiter>>;

  bool IsFinished(int device) const {
    return done_[device] ==
           static_cast<int64_t>(order_.programs[device].size());
  }

  void Advance(int device, std::vector<int>& ready) {
    while (!IsFinished(device)) {
      const std::vector<ItemPlace> unmet = Unmet(device);
      if (!unmet.empty()) {
        waiters_[unmet.front().device].push({unmet.front().position, device});
        return;
      }
      ++done_[device];
      WaiterQueue& waiters = waiters_[device];
      while (!waiters.empty() && waiters.top().position < done_[device]) {
        ready.push_back(waiters.top().device);
        waiters.pop();
      }
    }
  }

  const Order& order_;
  const ItemIndex& index_;
  const std::vector<StageNode>& graph_;
  std::vector<int64_t> done_;  // items of each device
  std::vector<WaiterQueue> waiters_;
};

// A shortest cycle through `start` among devices of which each waits for the
// next, if one has fewer than `limit`; else empty.
std::vector<int> CycleThrough(const Execution& execution, int start,
                              size_t limit) {
  std::vector<int> previous(execution.devices(), -1);
  std::vector<int> frontier = {start};
  for (size_t length = 1; length < limit && !frontier.empty(); ++length) {
    std::vector<int> next;
    for (int device : frontier) {
      for (const ItemPlace& need : execution.Unmet(device)) {
        if (need.device == start) {
          std::vector<int> cycle;
          for (int d = device; d != start; d = previous[d]) cycle.push_back(d);
          cycle.push_back(start);
          std::reverse(cycle.begin(), cycle.end());
          return cycle;
        }
        if (previous[need.device] >= 0) continue;
        previous[need.device] = device;
        next.push_back(need.device);
      }
    }
    frontier = std::move(next);
  }
  return {};
}

std::string DescribeCycle(const Order& order, const Execution& execution,
                          const std::vector<int>& cycle) {
  std::string text;
  for (size_t i = 0; i < cycle.size(); ++i) {
    const int device = cycle[i];
    const int next = cycle[(i + 1) % cycle.size()];
    const int64_t position = execution.done(device);
    for (const ItemPlace& need : execution.Unmet(device)) {
      if (need.device != next) continue;
      absl::StrAppend(&text, i == 0 ? absl::StrCat("device ", device) : "",
                      i == 0 ? "" : ", which", " waits at item ", position,
                      " (", ToString(order.programs[device][position]),
                      ") for ", ToString(order.programs[next][need.position]),
                      " on device ", next);
      break;
    }
  }
  return text;
}

}  // namespace

bool CheckLocalFlow(const Order& order, const ItemIndex& index,
                    const std::vector<StageNode>& graph,
                    FindingList& findings) {
  bool is_clean = true;
  for (int d = 0; d < static_cast<int>(order.programs.size()); ++d) {
    const std::vector<WorkItem>& program = order.programs[d];
    for (int64_t i = 0; i < static_cast<int64_t>(program.size()); ++i) {
      if (!index.Has(program[i], d, i)) continue;
      ForEachNeed(index, graph, program[i], [&](const ItemPlace& need) {
        if (need.device != d || need.position < i) return;
        is_clean = false;
        findings.Add(Rule::kDataFlow, {SubjectKind::kItem, d, i}, "device ", d,
                     " runs ", ToString(program[i]), " at item ", i, " before ",
                     ToString(program[need.position]), " at item ",
                     need.position, ", which it needs; move it behind");
      });
    }
  }
  return is_clean;
}

void CheckDeadlock(const Order& order, const ItemIndex& index,
                   const std::vector<StageNode>& graph, FindingList& findings) {
  Execution execution(order, index, graph);
  std::vector<int> shortest;
  for (int start : execution.Run()) {
    const size_t limit =
        shortest.empty() ? order.programs.size() + 1 : shortest.size();
    std::vector<int> cycle = CycleThrough(execution, start, limit);
    if (!cycle.empty()) shortest = std::move(cycle);
    if (shortest.size() == 2) break;  // none is shorter
  }
  if (shortest.empty()) return;
  const int first = shortest.front();
  findings.Add(Rule::kDeadlock,
               {SubjectKind::kItem, first, execution.done(first)},
               "the devices wait for one another for ever: ",
               DescribeCycle(order, execution, shortest));
}

}  // namespace octopipe
