#include "compiler/transfers/groups.h"

#include <utility>
#include <vector>

namespace octopipe {
namespace {

// Where the two ends of every message stand in their programs.
struct EndPlaces {
  std::vector<std::vector<int32_t>> sends;  // by channel and position
  std::vector<std::vector<int32_t>> receives;
};

EndPlaces FindEnds(const TransferPlan& plan) {
  EndPlaces places;
  places.sends.resize(plan.channels.size());
  places.receives.resize(plan.channels.size());
  for (const std::vector<ProgramItem>& program : plan.programs) {
    for (size_t i = 0; i < program.size(); ++i) {
      if (program[i].channel < 0) continue;
      const WorkKind kind = program[i].work.kind;
      // Programs hold the ends of a channel in its order.
      (IsSend(kind) ? places.sends : places.receives)[program[i].channel]
          .push_back(static_cast<int32_t>(i));
    }
  }
  return places;
}

bool IsFreeTransfer(const ProgramItem& item) {
  return item.channel >= 0 && item.group < 0;
}

}  // namespace

void FormGroups(TransferPlan& plan) {
  for (std::vector<ProgramItem>& program : plan.programs) {
    for (ProgramItem& item : program) item.group = -1;
  }
  const EndPlaces places = FindEnds(plan);
  int32_t groups = 0;
  for (std::vector<ProgramItem>& program : plan.programs) {
    for (size_t i = 0; i + 1 < program.size(); ++i) {
      ProgramItem* send = &program[i];
      ProgramItem* receive = &program[i + 1];
      if (!IsFreeTransfer(*send) || !IsFreeTransfer(*receive)) continue;
      if (IsReceive(send->work.kind)) std::swap(send, receive);
      if (!IsSend(send->work.kind) || !IsReceive(receive->work.kind)) continue;
      const Channel& out = plan.channels[send->channel];
      const Channel& in = plan.channels[receive->channel];
      if (out.to != in.from) continue;
      const auto& received = places.receives[send->channel];
      const auto& sent = places.sends[receive->channel];
      if (send->position >= static_cast<int64_t>(received.size()) ||
          receive->position >= static_cast<int64_t>(sent.size())) {
        continue;
      }
      const int32_t other_receive = received[send->position];
      const int32_t other_send = sent[receive->position];
      if (other_receive != other_send + 1 && other_send != other_receive + 1) {
        continue;
      }
      ProgramItem& there = plan.programs[out.to][other_receive];
      ProgramItem& back = plan.programs[out.to][other_send];
      if (there.group >= 0 || back.group >= 0) continue;
      send->group = receive->group = there.group = back.group = groups++;
    }
  }
}

}  // namespace octopipe
