#include "compiler/transfers/deadlock_proof.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/schedule/finding_list.h"
#include "compiler/transfers/check_transfers.h"

namespace octopipe {
namespace {

// A message as the device that waits for its other end sees it.
struct Need {
  int device = 0;  // that has not posted its end
  int32_t channel = 0;
  int32_t position = 0;
};

// Lets every device go as far as it can without waiting for what never comes.
// Since an event that can happen stays possible, the order does not matter.
class Execution {
 public:
  Execution(const StageTable& table, const TransferPlan& plan)
      : table_(table),
        plan_(plan),
        passed_(plan.programs.size(), 0),
        is_posted_(plan.programs.size(), false),
        is_ready_(plan.programs.size(), false),
        sends_(plan.channels.size(), 0),
        receives_(plan.channels.size(), 0) {
    CollectReads();
  }

  // Returns the devices that could not finish, ascending.
  std::vector<int> Run() {
    for (int d = devices() - 1; d >= 0; --d) Wake(d);
    while (!ready_.empty()) {
      const int device = ready_.back();
      ready_.pop_back();
      is_ready_[device] = false;
      Advance(device);
    }
    std::vector<int> stuck;
    for (int d = 0; d < devices(); ++d) {
      if (passed_[d] < Size(d)) stuck.push_back(d);
    }
    return stuck;
  }

  // What a stuck device waits for.
  std::vector<Need> Needs(int device) const {
    std::vector<Need> needs;
    ForEachNeed(device, [&](const Need& need) { needs.push_back(need); });
    return needs;
  }

  int64_t passed(int device) const { return passed_[device]; }
  int devices() const { return static_cast<int>(plan_.programs.size()); }

 private:
  struct Read {
    int32_t channel;
    int32_t position;
  };

  int64_t Size(int device) const {
    return static_cast<int64_t>(plan_.programs[device].size());
  }

  // Of each receive, by the item that reads it: F of its stage and micro-batch,
  // or the item that yields the input gradient.
  int64_t ReaderOf(const WorkItem& work, bool is_gradient) const {
    return 2 * (int64_t{work.stage} * table_.micro_batches + work.micro_batch) +
           is_gradient;
  }

  void CollectReads() {
    reads_begin_.assign(
        2 * int64_t{table_.num_stages()} * table_.micro_batches + 1, 0);
    auto for_each_receive = [&](const auto& visit) {
      for (const std::vector<ProgramItem>& program : plan_.programs) {
        for (const ProgramItem& item : program) {
          if (!IsReceive(item.work.kind)) continue;
          visit(item, ReaderOf(item.work,
                               item.work.kind == WorkKind::kReceiveGradient));
        }
      }
    };
    for_each_receive([&](const ProgramItem&, int64_t reader) {
      ++reads_begin_[reader + 1];
    });
    for (size_t i = 1; i < reads_begin_.size(); ++i) {
      reads_begin_[i] += reads_begin_[i - 1];
    }
    reads_.resize(reads_begin_.back());
    std::vector<int32_t> next(reads_begin_.begin(), reads_begin_.end() - 1);
    for_each_receive([&](const ProgramItem& item, int64_t reader) {
      reads_[next[reader]++] = {item.channel, item.position};
    });
  }

  // The items from `begin` on that the host posts together.
  int64_t EndOfGroup(int device, int64_t begin) const {
    const std::vector<ProgramItem>& program = plan_.programs[device];
    int64_t end = begin + 1;
    if (program[begin].group < 0) return end;
    while (end < Size(device) && program[end].group == program[begin].group) {
      ++end;
    }
    return end;
  }

  // A message is through when both ends have posted it: then they have posted
  // those before it, too.
  template <typename Visit>
  void ForEachNeed(int device, const Visit& visit) const {
    const std::vector<ProgramItem>& program = plan_.programs[device];
    const int64_t begin = passed_[device];
    const WorkItem& work = program[begin].work;
    auto need_send = [&](int32_t channel, int32_t position) {
      if (sends_[channel] > position) return;
      visit(Need{plan_.channels[channel].from, channel, position});
    };
    if (IsCompute(work.kind)) {
      if (work.kind == WorkKind::kWeightGradient) return;
      const int64_t reader = ReaderOf(work, work.kind != WorkKind::kForward);
      for (int32_t r = reads_begin_[reader]; r < reads_begin_[reader + 1];
           ++r) {
        need_send(reads_[r].channel, reads_[r].position);
      }
      return;
    }
    for (int64_t i = begin; i < EndOfGroup(device, begin); ++i) {
      const ProgramItem& item = program[i];
      if (IsReceive(item.work.kind)) {
        if (item.group >= 0) need_send(item.channel, item.position);
      } else if (receives_[item.channel] <= item.position) {
        visit(
            Need{plan_.channels[item.channel].to, item.channel, item.position});
      }
    }
  }

  void Wake(int device) {
    if (is_ready_[device]) return;
    is_ready_[device] = true;
    ready_.push_back(device);
  }

  void Post(int device, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const ProgramItem& item = plan_.programs[device][i];
      if (IsCompute(item.work.kind)) continue;
      const Channel& channel = plan_.channels[item.channel];
      if (IsSend(item.work.kind)) {
        ++sends_[item.channel];
        Wake(channel.to);
      } else {
        ++receives_[item.channel];
        Wake(channel.from);
      }
    }
  }

  void Advance(int device) {
    while (passed_[device] < Size(device)) {
      const int64_t begin = passed_[device];
      const int64_t end = EndOfGroup(device, begin);
      if (!is_posted_[device]) Post(device, begin, end);
      is_posted_[device] = true;
      bool has_need = false;
      ForEachNeed(device, [&](const Need&) { has_need = true; });
      if (has_need) return;
      passed_[device] = end;
      is_posted_[device] = false;
    }
  }

  const StageTable& table_;
  const TransferPlan& plan_;
  std::vector<int64_t> passed_;  // items of each device
  std::vector<bool> is_posted_;  // the next item of each device
  std::vector<bool> is_ready_;
  std::vector<int32_t> sends_;  // posted, of each channel
  std::vector<int32_t> receives_;
  std::vector<int32_t> reads_begin_;
  std::vector<Read> reads_;
  std::vector<int> ready_;  // devices
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
      for (const Need& need : execution.Needs(device)) {
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

// "the activation of stage 5, micro-batch 3": the message at `need`, as its
// receive names it.
std::string MessageText(const TransferPlan& plan, const Need& need) {
  const int device = plan.channels[need.channel].to;
  for (const ProgramItem& item : plan.programs[device]) {
    if (!IsReceive(item.work.kind) || item.channel != need.channel ||
        item.position != need.position) {
      continue;
    }
    return absl::StrCat("the ",
                        item.work.kind == WorkKind::kReceiveActivation
                            ? "activation"
                            : "gradient",
                        " of stage ", PeerOf(item.work), ", micro-batch ",
                        item.work.micro_batch, ",");
  }
  return "a tensor";
}

std::string DescribeCycle(const TransferPlan& plan, const Execution& execution,
                          const std::vector<int>& cycle) {
  std::string text = absl::StrCat("device ", cycle.front());
  for (size_t i = 0; i < cycle.size(); ++i) {
    const int device = cycle[i];
    const int next = cycle[(i + 1) % cycle.size()];
    const int64_t position = execution.passed(device);
    for (const Need& need : execution.Needs(device)) {
      if (need.device != next) continue;
      const bool receives = plan.channels[need.channel].to == device;
      absl::StrAppend(&text, i == 0 ? "" : ", which", " waits at item ",
                      position, " (",
                      ToString(plan.programs[device][position].work), ") to ",
                      receives ? "receive " : "send ", MessageText(plan, need),
                      receives ? " from" : " to", " device ", next);
      break;
    }
  }
  return text;
}

void CheckDeadlock(const StageTable& table, const TransferPlan& plan,
                   FindingList& findings) {
  Execution execution(table, plan);
  std::vector<int> shortest;
  for (int start : execution.Run()) {
    const size_t limit =
        shortest.empty() ? plan.programs.size() + 1 : shortest.size();
    std::vector<int> cycle = CycleThrough(execution, start, limit);
    if (!cycle.empty()) shortest = std::move(cycle);
    if (shortest.size() == 2) break;  // none is shorter
  }
  if (shortest.empty()) return;
  const int first = shortest.front();
  findings.Add(Rule::kDeadlock,
               {SubjectKind::kItem, first, execution.passed(first)},
               "the devices wait for one another for ever: ",
               DescribeCycle(plan, execution, shortest),
               "; post receives earlier, or use more slots");
}

}  // namespace

std::vector<Finding> ProveTransfers(const StageTable& table, const Order& order,
                                    const TransferPlan& plan) {
  FindingList findings;
  CheckTransfers(table, order, plan, findings);
  if (findings.empty()) CheckDeadlock(table, plan, findings);
  return std::move(findings).Take();
}

}  // namespace octopipe
