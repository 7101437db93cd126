// A scheduled plan with its sends and receives: what each device does, in
// order, and which message goes through which channel and buffer.
//
// How a device executes its program
//   A host walks the program. At a compute item it waits for the tensors that
//   the item reads, and for the item to end. At a receive it posts the receive
//   into its slot and goes on. At a send it posts the send and waits until the
//   message has been transferred. A group posts all its members and then waits
//   until all of them have been transferred. A channel transfers a message once
//   both ends have posted it and the one before it is through. Executors that
//   wait for less (sends that do not hold up the host, compute that runs
//   behind it) are covered by what deadlock_proof.h proves.

#ifndef OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_PROGRAM_H_
#define OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/work_item.h"

namespace octopipe {

enum class ChannelKind : uint8_t { kBoth, kActivation, kGradient };

struct TransferOptions {
  // Receive buffers of each channel, at least 1. A slot is taken from the post
  // of the receive until the item that reads the tensor has ended.
  int slots = 2;
  // A receive is posted this many compute items ahead of the one that reads the
  // tensor, unless slots or memory make it later or a deadlock earlier.
  int lookahead = 1;
  // One channel for activations and one for gradients, instead of one for both.
  bool channel_per_kind = false;
  // Fuses a send and a receive that two devices exchange next to each other.
  bool group = false;
  // Where `slots` are too few for sends right behind their producers, a send
  // may go later: channels then carry messages in the order in which they are
  // read, which always works.
  bool defer_sends = true;
};

// A directed pair of devices. First in, first out.
struct Channel {
  int from = 0;  // device
  int to = 0;
  ChannelKind kind = ChannelKind::kBoth;

  friend bool operator==(const Channel& a, const Channel& b) {
    return a.from == b.from && a.to == b.to && a.kind == b.kind;
  }
};

struct ProgramItem {
  WorkItem work;
  // Of transfers only: the channel, an index into TransferPlan::channels; which
  // of its messages this is, from 0; and what it carries for one micro-batch.
  int32_t channel = -1;
  int32_t position = -1;
  // Neighbours in a program with the same number other than -1 form a group.
  int32_t group = -1;
  Bytes bytes = 0;

  friend bool operator==(const ProgramItem& a, const ProgramItem& b) {
    return a.work == b.work && a.channel == b.channel &&
           a.position == b.position && a.group == b.group && a.bytes == b.bytes;
  }
};

struct TransferPlan {
  int slots = 2;  // of each channel
  std::vector<Channel> channels;
  std::vector<std::vector<ProgramItem>> programs;  // of each device

  friend bool operator==(const TransferPlan& a, const TransferPlan& b) {
    return a.slots == b.slots && a.channels == b.channels &&
           a.programs == b.programs;
  }
};

// The items of every device, transfers included.
std::vector<std::vector<WorkItem>> ItemsOf(const TransferPlan& plan);

// `plan` without its transfers.
Order WithoutTransfers(const TransferPlan& plan);

// Sends that compute items of their device separate from their producers.
// O(items).
int64_t CountDeferredSends(const TransferPlan& plan);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_TRANSFERS_TRANSFER_PROGRAM_H_
