// The tensors that cross from one device to another, as flat arrays: who makes
// and who reads each, and the order in which a channel carries them.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_MESSAGES_H_
#define OCTOPIPE_COMPILER_TRANSFERS_MESSAGES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/transfers/transfer_program.h"

namespace octopipe {

struct Message {
  // Positions in the orders of the channel's two devices.
  int32_t producer = 0;
  int32_t consumer = 0;
  int32_t channel = 0;
  int32_t position = 0;  // in the channel
  int32_t edge = 0;      // index into StageTable::edges
  int32_t micro_batch = 0;
  bool is_gradient = false;
};

// Messages are numbered by sending device and position of their producer there.
struct Messages {
  std::vector<Channel> channels;  // those that carry something
  std::vector<Message> all;
  // The messages of channel c by position are by_channel[channel_begin[c]] and
  // the following.
  std::vector<int32_t> channel_begin;  // one more than channels
  std::vector<int32_t> by_channel;
  // Compute item p of device d is number device_begin[d] + p.
  std::vector<int64_t> device_begin;  // one more than devices
  // Of each compute item: the first of the messages that it makes (they end
  // where those of the next begin), and likewise those that it reads, as
  // indices into `reads`. One more than items.
  std::vector<int32_t> made_begin;
  std::vector<int32_t> reads_begin;
  std::vector<int32_t> reads;

  int num_devices() const { return static_cast<int>(device_begin.size()) - 1; }
  absl::Span<const int32_t> OfChannel(int channel) const {
    return absl::MakeConstSpan(by_channel)
        .subspan(channel_begin[channel],
                 channel_begin[channel + 1] - channel_begin[channel]);
  }
  absl::Span<const int32_t> ReadBy(int64_t item) const {
    return absl::MakeConstSpan(reads).subspan(
        reads_begin[item], reads_begin[item + 1] - reads_begin[item]);
  }
};

inline Bytes BytesOf(const StageTable& table, const Message& message) {
  const StageEdge& edge = table.edges[message.edge];
  return message.is_gradient ? edge.gradient_bytes : edge.activation_bytes;
}

// `order` is valid for `table`. Channels carry messages in the order in which
// their producers run. O(items + edges · micro-batches).
Messages CollectMessages(const StageTable& table, const Order& order,
                         bool channel_per_kind);

// From now on every channel carries its messages in the order in which they are
// read; those that one item reads, in the order of their producers.
// O(messages · log messages).
void OrderByConsumer(Messages& messages);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_MESSAGES_H_
