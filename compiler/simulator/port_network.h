// Messages in flight on channels, some of which share the bandwidth of a port.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_PORT_NETWORK_H_
#define OCTOPIPE_COMPILER_SIMULATOR_PORT_NETWORK_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"
#include "compiler/simulator/fluid_job.h"

namespace octopipe {

// A channel has at most one message in flight; who waits behind it is the
// caller's. A channel without a port moves one unit of work a nanosecond.
//
// The channels of a port that have a message in flight divide its bandwidth
// max-min fairly (see Link). Rates are multiples of 1/720720 byte a
// microsecond, rounded down: exact for up to 16 equal parts. A message ends at
// the first whole nanosecond at which all of it has gone, and only from there
// on have others its part. So a message that never meets another takes
// ceil(bytes / bandwidth), and each meeting costs less than 1 ns of rounding.
class PortNetwork {
 public:
  struct Channel {
    int port = -1;
    int64_t bytes_per_us = 0;  // above 0 where there is a port
  };

  // `port_bytes_per_us` is the bandwidth of each port, at least that of each of
  // its channels.
  PortNetwork(std::vector<Channel> channels,
              const std::vector<int64_t>& port_bytes_per_us);

  // The work of a message that takes `alone_ns` where there is no port.
  absl::uint128 WorkOf(int channel, Bytes bytes, Nanos alone_ns) const;

  // A message begins on `channel`, which is free. One without work ends at
  // once.
  void Begin(int channel, absl::uint128 work, Nanos now);
  // The message of `channel`, whose end is now.
  void End(int channel);

  // To be called when all has begun and ended that does so at `now`. Returns
  // the channels whose messages' ends have changed, until the next call.
  const std::vector<int>& Settle(Nanos now);

  // When the message on `channel` will have gone if nothing begins before.
  Nanos EndOf(int channel) const { return jobs_[channel].end_ns(); }

 private:
  struct Port {
    absl::uint128 rate = 0;
    std::vector<int> channels;  // by bandwidth, then by index
    bool is_dirty = false;
  };

  void MarkDirty(int channel);
  void Divide(const Port& port, Nanos now);

  std::vector<Channel> channels_;
  std::vector<Port> ports_;
  std::vector<FluidJob> jobs_;
  std::vector<bool> in_flight_;
  std::vector<int> dirty_ports_;
  std::vector<int> started_;  // without a port
  std::vector<int> changed_;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_PORT_NETWORK_H_
