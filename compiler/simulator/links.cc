#include "compiler/simulator/links.h"

#include "absl/types/span.h"
#include "compiler/simulator/event_simulator.h"

namespace octopipe {
namespace {

// When a message gets its channel and arrives depends on the whole order.
std::vector<MessageTimes> SimulateMessages(const StageTable& table,
                                           const WorkDag& dag,
                                           const Order& order) {
  EventSimulator simulator(table, order);
  simulator.Run();
  std::vector<MessageTimes> messages(dag.arcs.size() * table.micro_batches);
  std::vector<int64_t> last(table.num_channels, -1);
  for (size_t d = 0; d < order.programs.size(); ++d) {
    const absl::Span<const Nanos> ends = simulator.Ends(static_cast<int>(d));
    for (size_t i = 0; i < order.programs[d].size(); ++i) {
      const WorkItem& item = order.programs[d][i];
      for (int a : dag.outputs[OpOf(item.kind, item.stage)]) {
        const int64_t index =
            a * static_cast<int64_t>(table.micro_batches) + item.micro_batch;
        messages[index] = {ends[i], simulator.MessageStarts()[index],
                           simulator.Arrivals()[index], -1};
        const int channel = dag.arcs[a].channel;
        if (channel < 0) continue;
        if (messages[index].start_ns > ends[i]) {
          messages[index].behind = last[channel];
        }
        last[channel] = index;
      }
    }
  }
  return messages;
}

}  // namespace

std::vector<MessageTimes> ReplayMessages(const StageTable& table,
                                         const WorkDag& dag, const Order& order,
                                         const Timeline& timeline) {
  if (table.HasContention()) return SimulateMessages(table, dag, order);
  struct Channel {
    Nanos free_ns = 0;
    int64_t last = -1;
  };
  std::vector<Channel> channels(table.num_channels);
  std::vector<MessageTimes> messages(dag.arcs.size() * table.micro_batches);
  for (size_t d = 0; d < order.programs.size(); ++d) {
    for (size_t i = 0; i < order.programs[d].size(); ++i) {
      const WorkItem& item = order.programs[d][i];
      const Nanos end = timeline.start_ns[d][i] +
                        DurationOf(table.stages[item.stage], item.kind);
      for (int a : dag.outputs[OpOf(item.kind, item.stage)]) {
        const WorkArc& arc = dag.arcs[a];
        const int64_t index =
            a * static_cast<int64_t>(table.micro_batches) + item.micro_batch;
        MessageTimes& message = messages[index];
        message = {end, end, end, -1};
        if (arc.channel < 0) continue;
        Channel& channel = channels[arc.channel];
        if (channel.free_ns > end) {
          message.start_ns = channel.free_ns;
          message.behind = channel.last;
        }
        channel = {message.start_ns + arc.transfer_ns, index};
        message.arrival_ns = channel.free_ns + arc.latency_ns;
      }
    }
  }
  return messages;
}

}  // namespace octopipe
