// The times of a fixed order where what happens at one time slows down other
// things: messages that share a port.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_EVENT_SIMULATOR_H_
#define OCTOPIPE_COMPILER_SIMULATOR_EVENT_SIMULATOR_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/min_tree.h"
#include "compiler/simulator/port_network.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {

// How long everything takes instead, in 1/1,000,000 of what the table says,
// rounded to whole nanoseconds or units of work.
struct Stretch {
  std::vector<int64_t> items_ppm;     // of all programs, one after the other
  std::vector<int64_t> messages_ppm;  // as EventSimulator::MessageStarts; work
                                      // on the channel and latency
};

// Goes from event to event: an item starts or ends, a message has gone. Whoever
// shares something with it has a new rate from then on, when all events of that
// time are done; so the result does not depend on the order in which things are
// numbered.
//
// O(log(devices + channels) + channels of the port) an event.
class EventSimulator {
 public:
  static constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

  // `order` is one that OrderEvaluator::SetOrder accepts; both outlive this.
  EventSimulator(const StageTable& table, const Order& order);

  // The makespan, or kNever if a device waits for ever; then nothing below
  // holds, and it cannot run again.
  Nanos Run() { return Run(nullptr); }
  Nanos Run(const Stretch& stretch) { return Run(&stretch); }

  // When the items of a device's program started and ended.
  absl::Span<const Nanos> Starts(int device) const;
  absl::Span<const Nanos> Ends(int device) const;

  // Of arc a of BuildWorkDag(table) and micro-batch m, at
  // a · micro_batches + m: when its message got its channel, and arrived. Both
  // the producer's end if there is no channel; -1 if the producer is in no
  // program.
  absl::Span<const Nanos> MessageStarts() const { return message_starts_; }
  absl::Span<const Nanos> Arrivals() const { return arrivals_; }

 private:
  // An arc's message of any micro-batch.
  struct Output {
    int64_t slots = 0;  // first of micro_batches
    int channel = -1;   // among channels_
    int consumer_device = 0;
    Nanos latency_ns = 0;
    absl::uint128 work = 0;
  };
  struct Pending {
    const Output* output = nullptr;
    int micro_batch = 0;
  };
  struct Channel {
    std::deque<Pending> messages;  // the first is in flight
  };
  struct DeviceState {
    int64_t begin = 0;  // of its items among those of all devices
    size_t cursor = 0;
    bool is_running = false;
    int64_t waiting_for = -1;  // slot
  };

  void AddOutputs();
  Nanos Run(const Stretch* stretch);
  int EventOf(int channel) const { return table_.num_devices + channel; }
  void Fire(int event, Nanos now);
  // The next item of a device that is free: starts it, or says when it can.
  void Advance(int device, Nanos now);
  void StartItem(int device, Nanos now);
  void EndItem(int device, Nanos now);
  void StartMessage(int channel, Nanos now);
  void EndMessage(int channel, Nanos now);
  void SetArrival(const Output& output, int micro_batch, Nanos arrival,
                  Nanos now);
  void Settle(Nanos now);

  const StageTable& table_;
  const Order& order_;
  const WorkDag dag_;
  const Stretch* stretch_ = nullptr;          // of the run that goes on
  std::vector<std::vector<Output>> outputs_;  // of each op
  std::vector<Channel> channels_;             // those that edges use
  PortNetwork network_;
  std::vector<DeviceState> devices_;
  std::vector<Nanos> starts_;
  std::vector<Nanos> ends_;
  std::vector<Nanos> message_starts_;
  std::vector<Nanos> arrivals_;
  MinTree next_;  // event of each device and channel
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_EVENT_SIMULATOR_H_
