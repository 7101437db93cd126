#include "compiler/transfers/direct_sends.h"

#include <numeric>
#include <utility>

#include "compiler/transfers/counting_sort.h"

namespace octopipe {
namespace {

class Run {
 public:
  Run(const StageTable& table, const Messages& messages,
      const ReceivePlan& plan, ReceiveMemory& memory)
      : table_(table),
        messages_(messages),
        plan_(plan),
        memory_(memory),
        hosts_(messages.num_devices()),
        ends_(messages.channels.size()),
        channels_into_(messages.num_devices()),
        receive_(messages.all.size()) {
    for (size_t c = 0; c < messages.channels.size(); ++c) {
      channels_into_[messages.channels[c].to].push_back(static_cast<int>(c));
    }
    // At time p of a device stand its receives for item p and before it; the
    // last time, when all is done, has none.
    receives_ = CountingSort(
        messages.all.size(), messages.device_begin.back(),
        [&](int64_t m) {
          return messages.device_begin[DeviceOf(m)] + plan.post[m];
        },
        receives_begin_);
    for (int d = 0; d < messages.num_devices(); ++d) {
      Host& host = hosts_[d];
      host.item = messages.device_begin[d];
      host.sent = messages.made_begin[host.item];
      host.posted = receives_begin_[host.item];
    }
  }

  // Whether every device comes to its end.
  bool Finish() {
    for (int d = static_cast<int>(hosts_.size()) - 1; d >= 0; --d) Wake(d);
    do {
      while (!ready_.empty()) {
        const int device = ready_.back();
        ready_.pop_back();
        hosts_[device].is_ready = false;
        Advance(device);
      }
    } while (PostOneEarly());
    for (size_t d = 0; d < hosts_.size(); ++d) {
      if (!IsDone(static_cast<int>(d))) return false;
    }
    return true;
  }

  std::vector<int32_t> TakeReceives() && { return std::move(receive_); }

 private:
  struct Host {
    int64_t item = 0;    // the next compute item
    int32_t sent = 0;    // messages of the items before it
    int32_t posted = 0;  // passed in receives_
    bool is_ready = false;
    bool is_sending = false;  // waits for a receive
    bool is_listed = false;   // in stuck_
  };
  // How many messages the two ends of a channel have posted.
  struct Ends {
    int32_t sends = 0;
    int32_t receives = 0;
  };

  int DeviceOf(int64_t message) const {
    return messages_.channels[messages_.all[message].channel].to;
  }
  int32_t TimeOf(int device) const {
    return static_cast<int32_t>(hosts_[device].item -
                                messages_.device_begin[device]);
  }
  bool IsDone(int device) const {
    return hosts_[device].item == messages_.device_begin[device + 1] &&
           !hosts_[device].is_sending;
  }
  void Wake(int device) {
    if (std::exchange(hosts_[device].is_ready, true)) return;
    ready_.push_back(device);
  }

  void List(int device) {
    if (std::exchange(hosts_[device].is_listed, true)) return;
    stuck_.push_back(device);
  }

  void Post(int32_t message, int32_t half_time) {
    const int channel = messages_.all[message].channel;
    receive_[message] = half_time;
    ++ends_[channel].receives;
    const int sender = messages_.channels[channel].from;
    if (hosts_[sender].is_sending) Wake(sender);
  }

  // Sends what the items so far have made; false if the host has to wait.
  bool Send(int device) {
    Host& host = hosts_[device];
    // At the end of a device the messages of the next one begin.
    for (; host.sent < messages_.made_begin[host.item]; ++host.sent) {
      const Message& message = messages_.all[host.sent];
      Ends& ends = ends_[message.channel];
      const int receiver = messages_.channels[message.channel].to;
      if (ends.sends == message.position) {
        ++ends.sends;
        Wake(receiver);
      }
      host.is_sending = ends.receives <= message.position;
      if (host.is_sending) {
        List(receiver);
        return false;
      }
    }
    return true;
  }

  // Posts what is planned for now and has not been posted before.
  void PostPlanned(int device) {
    Host& host = hosts_[device];
    for (; host.posted < receives_begin_[host.item + 1]; ++host.posted) {
      const int32_t m = receives_[host.posted];
      const Message& message = messages_.all[m];
      if (message.position < ends_[message.channel].receives) continue;
      Post(m, 2 * TimeOf(device) + 1);
    }
  }

  bool HasArrived(int64_t item) const {
    for (int32_t m : messages_.ReadBy(item)) {
      const Message& message = messages_.all[m];
      if (ends_[message.channel].sends <= message.position) return false;
    }
    return true;
  }

  void Advance(int device) {
    Host& host = hosts_[device];
    while (Send(device) && host.item < messages_.device_begin[device + 1]) {
      PostPlanned(device);
      if (!HasArrived(host.item)) break;
      ++host.item;
    }
    List(device);
  }

  // Nobody can go on: moves a receive that is waited for to where its device
  // stands.
  bool PostOneEarly() {
    while (!stuck_.empty()) {
      const int device = stuck_.back();
      bool has_posted = false;
      for (int c : channels_into_[device]) {
        const int sender = messages_.channels[c].from;
        const Host& host = hosts_[sender];
        // It waits at one channel only.
        if (!host.is_sending || messages_.all[host.sent].channel != c) continue;
        has_posted = PostUpTo(host.sent);
        if (has_posted) break;
      }
      if (has_posted) return true;
      stuck_.pop_back();
      hosts_[device].is_listed = false;
    }
    return false;
  }

  bool PostUpTo(int32_t last) {
    const Message& waited_for = messages_.all[last];
    const int device = DeviceOf(last);
    const int32_t now = TimeOf(device);
    // The slots of those before it are free, too.
    if (plan_.earliest[last] > now || IsDone(device)) return false;
    const absl::Span<const int32_t> carried =
        messages_.OfChannel(waited_for.channel);
    const int32_t first = ends_[waited_for.channel].receives;
    for (int32_t i = first; i <= waited_for.position; ++i) {
      if (TakeMemory(device, now, carried[i])) continue;
      while (i-- > first) GiveBackMemory(device, now, carried[i]);
      return false;
    }
    const bool behind_sends = !hosts_[device].is_sending;
    for (int32_t i = first; i <= waited_for.position; ++i) {
      Post(carried[i], 2 * now + behind_sends);
    }
    return true;
  }

  // For a receive that moves from its planned time to `now`.
  bool TakeMemory(int device, int32_t now, int32_t message) {
    const Bytes bytes = BytesOf(table_, messages_.all[message]);
    const int32_t planned = plan_.post[message];
    if (memory_.LastFull(device, now, planned, bytes) >= now) return false;
    memory_.Take(device, now, planned, bytes);
    return true;
  }
  void GiveBackMemory(int device, int32_t now, int32_t message) {
    memory_.Take(device, now, plan_.post[message],
                 -BytesOf(table_, messages_.all[message]));
  }

  const StageTable& table_;
  const Messages& messages_;
  const ReceivePlan& plan_;
  ReceiveMemory& memory_;
  std::vector<int32_t> receives_;        // messages, by device and time
  std::vector<int32_t> receives_begin_;  // of each item of each device
  std::vector<Host> hosts_;
  std::vector<Ends> ends_;  // of each channel
  std::vector<std::vector<int>> channels_into_;
  std::vector<int> ready_;  // devices
  std::vector<int> stuck_;  // devices that may have a receive to post early
  std::vector<int32_t> receive_;
};

}  // namespace

std::optional<TransferTimes> PlanDirectSends(const StageTable& table,
                                             const Messages& messages,
                                             const ReceivePlan& plan,
                                             ReceiveMemory& memory) {
  Run run(table, messages, plan, memory);
  if (!run.Finish()) return std::nullopt;
  TransferTimes times;
  times.receive = std::move(run).TakeReceives();
  times.send_order.resize(messages.all.size());
  std::iota(times.send_order.begin(), times.send_order.end(), 0);
  times.send.reserve(messages.all.size());
  for (const Message& message : messages.all) {
    times.send.push_back(message.producer + 1);
  }
  return times;
}

}  // namespace octopipe
