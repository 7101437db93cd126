#include "compiler/simulator/port_network.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace octopipe {
namespace {

// Units of work to a byte where there is a port: 1,000, so that bytes per
// microsecond are a whole rate per nanosecond, times the least number that all
// of 1 to 16 divide.
constexpr int64_t kParts = 720720;
constexpr int64_t kUnitsPerByte = 1000 * kParts;

}  // namespace

PortNetwork::PortNetwork(std::vector<Channel> channels,
                         const std::vector<int64_t>& port_bytes_per_us)
    : channels_(std::move(channels)),
      ports_(port_bytes_per_us.size()),
      jobs_(channels_.size()),
      in_flight_(channels_.size(), false) {
  for (size_t p = 0; p < ports_.size(); ++p) {
    ports_[p].rate = absl::uint128(port_bytes_per_us[p]) * kParts;
  }
  for (size_t c = 0; c < channels_.size(); ++c) {
    if (channels_[c].port < 0) continue;
    ports_[channels_[c].port].channels.push_back(static_cast<int>(c));
  }
  for (Port& port : ports_) {
    std::sort(port.channels.begin(), port.channels.end(), [&](int a, int b) {
      return std::tie(channels_[a].bytes_per_us, a) <
             std::tie(channels_[b].bytes_per_us, b);
    });
  }
}

absl::uint128 PortNetwork::WorkOf(int channel, Bytes bytes,
                                  Nanos alone_ns) const {
  if (channels_[channel].port < 0) return alone_ns;
  return absl::uint128(bytes) * kUnitsPerByte;
}

void PortNetwork::MarkDirty(int channel) {
  const int p = channels_[channel].port;
  if (p < 0 || ports_[p].is_dirty) return;
  ports_[p].is_dirty = true;
  dirty_ports_.push_back(p);
}

void PortNetwork::Begin(int channel, absl::uint128 work, Nanos now) {
  jobs_[channel].Begin(work, now);
  if (work == 0) return;
  in_flight_[channel] = true;
  if (channels_[channel].port < 0) started_.push_back(channel);
  MarkDirty(channel);
}

void PortNetwork::End(int channel) {
  if (!in_flight_[channel]) return;
  in_flight_[channel] = false;
  MarkDirty(channel);
}

const std::vector<int>& PortNetwork::Settle(Nanos now) {
  changed_.clear();
  for (int c : started_) {
    if (jobs_[c].SetRate(1, now)) changed_.push_back(c);
  }
  started_.clear();
  for (int p : dirty_ports_) {
    ports_[p].is_dirty = false;
    Divide(ports_[p], now);
  }
  dirty_ports_.clear();
  return changed_;
}

void PortNetwork::Divide(const Port& port, Nanos now) {
  int sharing = 0;
  for (int c : port.channels) sharing += in_flight_[c];
  absl::uint128 left = port.rate;
  absl::uint128 part = 0;
  // Slowest first: once the part of one is less than its own bandwidth, all
  // that follow get the same.
  bool has_own = true;
  for (int c : port.channels) {
    if (!in_flight_[c]) continue;
    const absl::uint128 own = absl::uint128(channels_[c].bytes_per_us) * kParts;
    if (has_own) part = left / sharing;
    has_own &= own <= part;
    if (has_own) {
      left -= own;
      --sharing;
    }
    if (jobs_[c].SetRate(has_own ? own : part, now)) changed_.push_back(c);
  }
}

}  // namespace octopipe
