#include "compiler/transfers/read_transfers.h"

#include <cstdint>
#include <utility>

#include "compiler/transfers/channel_numbers.h"
#include "compiler/transfers/groups.h"

namespace octopipe {
namespace {

// The ends of a transfer in the order of the model.
struct Ends {
  int from = 0;  // the earlier stage
  int to = 0;
  bool is_gradient = false;
};

Ends EndsOf(const WorkItem& work) {
  const int peer = PeerOf(work);
  switch (work.kind) {
    case WorkKind::kSendActivation:
      return {work.stage, peer, false};
    case WorkKind::kReceiveActivation:
      return {peer, work.stage, false};
    case WorkKind::kSendGradient:
      return {peer, work.stage, true};
    default:
      return {work.stage, peer, true};
  }
}

// Index into StageTable::edges, or -1.
int FindEdge(const StageTable& table, const Ends& ends) {
  if (ends.from < 0 || ends.from >= table.num_stages()) return -1;
  for (int e : table.out_edges[ends.from]) {
    if (table.edges[e].to == ends.to) return e;
  }
  return -1;
}

}  // namespace

TransferPlan ReadTransfers(const StageTable& table,
                           absl::Span<const std::vector<WorkItem>> programs,
                           const TransferOptions& options) {
  TransferPlan plan;
  plan.slots = options.slots;
  const std::vector<EdgeChannels> routes =
      NumberChannels(table, options.channel_per_kind, plan.channels);
  plan.programs.resize(programs.size());
  std::vector<std::pair<int32_t, int32_t>> posted(plan.channels.size());
  for (size_t d = 0; d < programs.size(); ++d) {
    plan.programs[d].reserve(programs[d].size());
    for (const WorkItem& work : programs[d]) {
      ProgramItem& item = plan.programs[d].emplace_back();
      item.work = work;
      if (IsCompute(work.kind)) continue;
      const Ends ends = EndsOf(work);
      const int e = FindEdge(table, ends);
      if (e < 0) continue;
      const int channel =
          ends.is_gradient ? routes[e].gradient : routes[e].activation;
      if (channel < 0) continue;
      const bool is_send = IsSend(work.kind);
      const Channel& joins = plan.channels[channel];
      if ((is_send ? joins.from : joins.to) != static_cast<int>(d)) continue;
      item.channel = channel;
      item.position = is_send ? posted[item.channel].first++
                              : posted[item.channel].second++;
      item.bytes = ends.is_gradient ? table.edges[e].gradient_bytes
                                    : table.edges[e].activation_bytes;
    }
  }
  if (options.group) FormGroups(plan);
  return plan;
}

}  // namespace octopipe
