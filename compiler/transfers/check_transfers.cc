#include "compiler/transfers/check_transfers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"

namespace octopipe {
namespace {

bool CarriesGradient(WorkKind kind) {
  return kind == WorkKind::kSendGradient || kind == WorkKind::kReceiveGradient;
}

// One end of a message, or nowhere.
struct End {
  int32_t item = -1;  // of its device's program
  int32_t channel = -1;
  int32_t position = -1;

  bool exists() const { return item >= 0; }
};

class Checker {
 public:
  Checker(const StageTable& table, const Order& order, const TransferPlan& plan,
          FindingList& findings)
      : table_(table),
        order_(order),
        plan_(plan),
        findings_(findings),
        micro_batches_(table.micro_batches),
        ended_(2 * table.stages.size() * micro_batches_, false),
        sends_(2 * table.edges.size() * micro_batches_),
        receives_(sends_.size()),
        posted_sends_(plan.channels.size(), 0),
        posted_receives_(plan.channels.size(), 0),
        slots_(plan.channels.size() * static_cast<size_t>(plan.slots), -1) {}

  void Check() {
    const int devices = static_cast<int>(plan_.programs.size());
    for (int d = 0; d < devices; ++d) CheckProgram(d);
    for (size_t d = devices; d < order_.programs.size(); ++d) {
      if (order_.programs[d].empty()) continue;
      findings_.Add(Rule::kOrderChanged,
                    {SubjectKind::kDevice, static_cast<int64_t>(d)}, "device ",
                    d, " has no program; its order has ",
                    order_.programs[d].size(), " items");
    }
    if (!has_order_) return;
    for (size_t e = 0; e < table_.edges.size(); ++e) {
      const StageEdge& edge = table_.edges[e];
      if (DeviceOf(edge.from) == DeviceOf(edge.to)) continue;
      for (int64_t m = 0; m < micro_batches_; ++m) {
        CheckPair(e, m, false);
        if (edge.needs_grad) CheckPair(e, m, true);
      }
    }
  }

 private:
  int DeviceOf(int stage) const { return table_.stages[stage].device; }
  int64_t MessageOf(int64_t edge, int64_t m, bool is_gradient) const {
    return 2 * (edge * micro_batches_ + m) + is_gradient;
  }
  // Whether F, or the item that yields the input gradient, has been passed.
  std::vector<bool>::reference Ended(int64_t stage, int64_t m,
                                     bool is_gradient) {
    return ended_[2 * (stage * micro_batches_ + m) + is_gradient];
  }

  void CheckProgram(int device) {
    static const std::vector<WorkItem> kNoItems;
    const std::vector<WorkItem>& expected =
        device < static_cast<int>(order_.programs.size())
            ? order_.programs[device]
            : kNoItems;
    const std::vector<ProgramItem>& program = plan_.programs[device];
    size_t computed = 0;
    for (size_t i = 0; i < program.size(); ++i) {
      const WorkItem& work = program[i].work;
      if (!IsCompute(work.kind)) {
        CheckTransfer(device, static_cast<int32_t>(i));
        continue;
      }
      if (computed == expected.size() || work != expected[computed]) {
        findings_.Add(
            Rule::kOrderChanged, At(device, i), "device ", device, " has ",
            ToString(work), " at item ", i, "; the scheduled order has ",
            computed == expected.size() ? std::string("no further item")
                                        : ToString(expected[computed]));
        has_order_ = false;
        return;
      }
      ++computed;
      if (work.kind == WorkKind::kWeightGradient) continue;
      Ended(work.stage, work.micro_batch, work.kind != WorkKind::kForward) =
          true;
    }
    if (computed == expected.size()) return;
    has_order_ = false;
    findings_.Add(Rule::kOrderChanged, {SubjectKind::kDevice, device},
                  "device ", device, " lacks ", ToString(expected[computed]),
                  " of the scheduled order");
  }

  static Subject At(int64_t device, int64_t item) {
    return {SubjectKind::kItem, device, item};
  }

  // "device 2 has RF3.1.0 at item 7"
  std::string Text(int device, int32_t item) const {
    return absl::StrCat("device ", device, " has ",
                        ToString(plan_.programs[device][item].work),
                        " at item ", item);
  }

  template <typename... Parts>
  void Report(Rule rule, int device, int32_t item, const Parts&... parts) {
    findings_.Add(rule, At(device, item), Text(device, item), parts...);
  }

  // The edge that `work` names, or -1.
  int EdgeOf(const WorkItem& work) const {
    const int32_t peer = PeerOf(work);
    const int stages = table_.num_stages();
    if (work.stage < 0 || work.stage >= stages || peer < 0 || peer >= stages) {
      return -1;
    }
    const bool is_later = work.kind == WorkKind::kSendActivation ||
                          work.kind == WorkKind::kReceiveGradient;
    const int from = is_later ? work.stage : peer;
    const int to = is_later ? peer : work.stage;
    for (int e : table_.out_edges[from]) {
      if (table_.edges[e].to != to) continue;
      return CarriesGradient(work.kind) && !table_.edges[e].needs_grad ? -1 : e;
    }
    return -1;
  }

  // Whether it names a message between two devices, on a channel that joins
  // them.
  bool IsValid(int device, int32_t i, int edge) {
    const ProgramItem& item = plan_.programs[device][i];
    const WorkItem& work = item.work;
    if (edge < 0 || work.micro_batch < 0 ||
        work.micro_batch >= micro_batches_) {
      Report(Rule::kTransferInvalid, device, i,
             ", which is no tensor of the plan");
      return false;
    }
    const int home = DeviceOf(work.stage);
    const int other = DeviceOf(PeerOf(work));
    if (home != device || other == device) {
      Report(Rule::kTransferInvalid, device, i, ", but stage ", work.stage,
             " is on device ", home, " and stage ", PeerOf(work), " on device ",
             other);
      return false;
    }
    const bool is_send = IsSend(work.kind);
    if (item.channel < 0 ||
        item.channel >= static_cast<int64_t>(plan_.channels.size())) {
      Report(Rule::kTransferInvalid, device, i, " without a channel");
      return false;
    }
    const Channel& channel = plan_.channels[item.channel];
    const ChannelKind wrong = CarriesGradient(work.kind)
                                  ? ChannelKind::kActivation
                                  : ChannelKind::kGradient;
    if (channel.from != (is_send ? device : other) ||
        channel.to != (is_send ? other : device) || channel.kind == wrong) {
      Report(Rule::kTransferInvalid, device, i, " on channel ", item.channel,
             ", which carries ",
             channel.kind == ChannelKind::kBoth         ? "tensors"
             : channel.kind == ChannelKind::kActivation ? "activations"
                                                        : "gradients",
             " from device ", channel.from, " to device ", channel.to);
      return false;
    }
    const int last_slot = plan_.slots - 1;
    if (is_send ? work.slot != -1 : work.slot < 0 || work.slot > last_slot) {
      Report(Rule::kTransferInvalid, device, i,
             is_send ? std::string("; a send has no slot")
                     : absl::StrCat("; expected a slot from 0 to ", last_slot));
      return false;
    }
    return true;
  }

  void CheckTransfer(int device, int32_t i) {
    const ProgramItem& item = plan_.programs[device][i];
    const WorkItem& work = item.work;
    const int e = EdgeOf(work);
    if (!IsValid(device, i, e)) return;
    const bool is_send = IsSend(work.kind);
    const bool is_gradient = CarriesGradient(work.kind);
    const StageEdge& edge = table_.edges[e];
    const int64_t message = MessageOf(e, work.micro_batch, is_gradient);
    End& end = (is_send ? sends_ : receives_)[message];
    if (end.exists()) {
      Report(Rule::kTransferRepeated, device, i, ", which repeats item ",
             end.item);
      return;
    }
    end = {i, item.channel, item.position};
    const Bytes bytes =
        is_gradient ? edge.gradient_bytes : edge.activation_bytes;
    if (item.bytes != bytes) {
      Report(Rule::kTransferBytes, device, i, " with ", item.bytes,
             " bytes; expected ", bytes);
    }
    int32_t& posted =
        (is_send ? posted_sends_ : posted_receives_)[item.channel];
    if (item.position != posted++) {
      Report(Rule::kChannelOrder, device, i, " as message ", item.position,
             " of channel ", item.channel, ", but it posts ", posted - 1,
             " before it");
    }
    // The item that makes, or that reads, the tensor on this device.
    const bool is_ended = Ended(work.stage, work.micro_batch, is_gradient);
    if (is_ended != is_send) {
      Report(Rule::kTransferFlow, device, i,
             is_send ? " before the item that makes the tensor"
                     : " behind the item that reads the tensor");
    }
    if (!is_send) CheckSlot(device, i, message);
  }

  // Takes the slot, whose tensor before must have been read.
  void CheckSlot(int device, int32_t i, int64_t message) {
    const ProgramItem& item = plan_.programs[device][i];
    int64_t& in_slot = slots_[static_cast<int64_t>(item.channel) * plan_.slots +
                              item.work.slot];
    const int64_t before = in_slot;
    in_slot = message;
    if (before < 0) return;
    const StageEdge& edge = table_.edges[before / 2 / micro_batches_];
    const int64_t m = before / 2 % micro_batches_;
    const bool is_gradient = before % 2 != 0;
    if (Ended(is_gradient ? edge.from : edge.to, m, is_gradient)) return;
    Report(Rule::kSlotInUse, device, i, ", but slot ", item.work.slot,
           " holds the tensor of item ", receives_[before].item, " (",
           ToString(plan_.programs[device][receives_[before].item].work),
           ") until the item that reads it has ended");
  }

  void CheckPair(int64_t e, int64_t m, bool is_gradient) {
    const StageEdge& edge = table_.edges[e];
    const End& send = sends_[MessageOf(e, m, is_gradient)];
    const End& receive = receives_[MessageOf(e, m, is_gradient)];
    const int maker = is_gradient ? edge.to : edge.from;
    const int reader = is_gradient ? edge.from : edge.to;
    for (bool is_send : {true, false}) {
      if ((is_send ? send : receive).exists()) continue;
      const int stage = is_send ? maker : reader;
      findings_.Add(
          Rule::kTransferMissing, At(DeviceOf(stage), -1), "device ",
          DeviceOf(stage), is_send ? " does not send" : " does not receive",
          " the ", is_gradient ? "gradient" : "activation", " of stage ", maker,
          ", micro-batch ", m, is_send ? ", to stage " : ", in stage ", reader);
    }
    if (!send.exists() || !receive.exists() ||
        (send.channel == receive.channel &&
         send.position == receive.position)) {
      return;
    }
    Report(Rule::kChannelOrder, DeviceOf(reader), receive.item, " as message ",
           receive.position, " of channel ", receive.channel, ", but device ",
           DeviceOf(maker), " sends it as message ", send.position,
           " of channel ", send.channel);
  }

  const StageTable& table_;
  const Order& order_;
  const TransferPlan& plan_;
  FindingList& findings_;
  const int64_t micro_batches_;
  bool has_order_ = true;  // so far
  std::vector<bool> ended_;
  std::vector<End> sends_;  // of each message
  std::vector<End> receives_;
  std::vector<int32_t> posted_sends_;  // of each channel
  std::vector<int32_t> posted_receives_;
  std::vector<int64_t> slots_;  // message in each slot of each channel; or -1
};

// The bytes on a device of limited memory while its program runs.
void CheckMemory(const StageTable& table, const TransferPlan& plan, int device,
                 FindingList& findings) {
  const std::vector<ProgramItem>& program = plan.programs[device];
  const Bytes capacity = table.memory_bytes[device];
  Bytes held = table.static_bytes[device];
  Bytes received = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    const WorkItem& work = program[i].work;
    if (IsReceive(work.kind)) received += program[i].bytes;
    if (!IsCompute(work.kind)) continue;
    const StageCost& stage = table.stages[work.stage];
    const bool is_forward = work.kind == WorkKind::kForward;
    if (is_forward) held += stage.saved_bytes();
    const Bytes bytes =
        held + received +
        (is_forward ? stage.f_workspace_bytes : stage.b_workspace_bytes);
    if (bytes > capacity) {
      findings.Add(Rule::kMemoryExceeded,
                   {SubjectKind::kItem, device, static_cast<int64_t>(i)},
                   "device ", device, " needs ", BytesText(bytes), " at item ",
                   i, " (", ToString(work), "), of which ", BytesText(received),
                   " are received tensors, and has ", BytesText(capacity));
      return;
    }
    if (work.kind != WorkKind::kWeightGradient) {
      const bool is_gradient = !is_forward;
      for (int e : is_gradient ? table.out_edges[work.stage]
                               : table.in_edges[work.stage]) {
        const StageEdge& edge = table.edges[e];
        const int maker = is_gradient ? edge.to : edge.from;
        if (table.stages[maker].device == device) continue;
        if (is_gradient && !edge.needs_grad) continue;
        received -= is_gradient ? edge.gradient_bytes : edge.activation_bytes;
      }
    }
    if (is_forward) continue;
    if (work.kind != WorkKind::kWeightGradient) held -= stage.saved_b_bytes;
    if (work.kind != WorkKind::kInputGradient) held -= stage.saved_w_bytes;
  }
}

}  // namespace

void CheckTransfers(const StageTable& table, const Order& order,
                    const TransferPlan& plan, FindingList& findings) {
  if (plan.slots < 1) {
    findings.Add(Rule::kTransferInvalid, {}, "channels have ", plan.slots,
                 " slots; expected at least 1");
    return;
  }
  Checker(table, order, plan, findings).Check();
  if (!findings.empty()) return;
  for (size_t d = 0; d < plan.programs.size(); ++d) {
    if (plan.programs[d].empty() || table.memory_bytes[d] == 0) continue;
    CheckMemory(table, plan, static_cast<int>(d), findings);
  }
}

}  // namespace octopipe
