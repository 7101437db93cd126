#include "compiler/simulator/critical_path.h"

#include <algorithm>
#include <optional>

#include "compiler/simulator/links.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

class PathFinder {
 public:
  PathFinder(const StageTable& table, const Order& order,
             const Timeline& timeline)
      : table_(table),
        order_(order),
        timeline_(timeline),
        dag_(BuildWorkDag(table)),
        positions_(PositionsOf(table, order)),
        messages_(ReplayMessages(table, dag_, order, timeline)) {}

  std::vector<CriticalItem> Find() const {
    std::vector<CriticalItem> path;
    for (int d = 0; d < table_.num_devices; ++d) {
      if (order_.programs[d].empty()) continue;
      const CriticalItem last =
          At(d, static_cast<int>(order_.programs[d].size()) - 1);
      if (last.start_ns + last.duration_ns == timeline_.makespan_ns) {
        path.push_back(last);
        break;
      }
    }
    while (!path.empty() && path.back().start_ns > 0) {
      const std::optional<CriticalItem> before = Predecessor(path.back());
      if (!before) break;
      path.push_back(*before);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  CriticalItem At(int device, int position) const {
    CriticalItem at;
    at.device = device;
    at.position = position;
    at.item = order_.programs[device][position];
    at.start_ns = timeline_.start_ns[device][position];
    at.duration_ns = DurationOf(table_.stages[at.item.stage], at.item.kind);
    return at;
  }

  CriticalItem ProducerOf(int64_t message) const {
    const int task = dag_.arcs[message / table_.micro_batches].producer;
    const int64_t micro_batch = message % table_.micro_batches;
    return At(table_.stages[task / 3].device,
              positions_[static_cast<int64_t>(task) * table_.micro_batches +
                         micro_batch]);
  }

  // What `item`, which starts after time 0, waited for; sets its cause. None if
  // the timeline is not one of EvaluateOrder and lets it start late.
  std::optional<CriticalItem> Predecessor(CriticalItem& item) const {
    if (item.position > 0) {
      const CriticalItem before = At(item.device, item.position - 1);
      if (before.start_ns + before.duration_ns == item.start_ns) {
        item.cause = CriticalItem::Cause::kDevice;
        return before;
      }
    }
    int64_t last = -1;
    for (int a : dag_.inputs[TaskOf(item.item.kind, item.item.stage)]) {
      const int64_t m = a * static_cast<int64_t>(table_.micro_batches) +
                        item.item.micro_batch;
      if (messages_[m].arrival_ns != item.start_ns) continue;
      if (last < 0 || messages_[m].ready_ns > messages_[last].ready_ns) {
        last = m;
      }
    }
    if (last < 0) return std::nullopt;
    if (messages_[last].ready_ns == item.start_ns) {
      item.cause = CriticalItem::Cause::kData;
      return ProducerOf(last);
    }
    item.cause = CriticalItem::Cause::kTransfer;
    while (messages_[last].behind >= 0) last = messages_[last].behind;
    return ProducerOf(last);
  }

  const StageTable& table_;
  const Order& order_;
  const Timeline& timeline_;
  const WorkDag dag_;
  const std::vector<int32_t> positions_;
  const std::vector<MessageTimes> messages_;
};

}  // namespace

std::vector<CriticalItem> CriticalPath(const StageTable& table,
                                       const Order& order,
                                       const Timeline& timeline) {
  return PathFinder(table, order, timeline).Find();
}

}  // namespace octopipe
