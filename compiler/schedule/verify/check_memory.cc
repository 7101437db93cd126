#include "compiler/schedule/verify/check_memory.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"

namespace octopipe {
namespace {

// The bytes on one device while an order runs, stage by stage.
class DeviceMemory {
 public:
  DeviceMemory(const std::vector<StageNode>& graph, Bytes static_bytes)
      : graph_(graph), total_(static_bytes), stage_bytes_(graph.size(), 0) {}

  // Returns the bytes while `item` runs, then lets go of what its end frees.
  Bytes Run(const WorkItem& item) {
    const StageNode& stage = graph_[item.stage];
    if (item.kind == WorkKind::kForward) {
      Hold(item.stage, stage.saved_b_bytes + stage.saved_w_bytes);
      return total_ + stage.f_workspace_bytes;
    }
    const Bytes running = total_ + stage.b_workspace_bytes;
    if (item.kind != WorkKind::kWeightGradient) {
      Hold(item.stage, -stage.saved_b_bytes);
    }
    if (item.kind != WorkKind::kInputGradient) {
      Hold(item.stage, -stage.saved_w_bytes);
    }
    return running;
  }

  // The first stage of those that hold most activations.
  int LargestStage() const {
    return static_cast<int>(
        std::max_element(stage_bytes_.begin(), stage_bytes_.end()) -
        stage_bytes_.begin());
  }
  Bytes HeldBy(int stage) const { return stage_bytes_[stage]; }

 private:
  void Hold(int stage, Bytes bytes) {
    total_ += bytes;
    stage_bytes_[stage] += bytes;
  }

  const std::vector<StageNode>& graph_;
  Bytes total_;
  std::vector<Bytes> stage_bytes_;  // activations only
};

std::string LargestText(const DeviceMemory& memory) {
  const int stage = memory.LargestStage();
  const Bytes held = memory.HeldBy(stage);
  if (held == 0) return "none of it activations";
  return absl::StrCat("stage ", stage, " holds most, ", BytesText(held),
                      " of activations");
}

void CheckDevice(const Problem& problem, const std::vector<WorkItem>& program,
                 const std::vector<StageNode>& graph, Bytes static_bytes,
                 int device, FindingList& findings) {
  const Bytes capacity = problem.devices[device].memory_bytes;
  DeviceMemory memory(graph, static_bytes);
  Bytes peak = static_bytes;
  int64_t peak_item = -1;
  Bytes first_over = 0;
  int64_t first_item = -1;
  std::string largest;
  for (int64_t i = 0; i < static_cast<int64_t>(program.size()); ++i) {
    const Bytes bytes = memory.Run(program[i]);
    if (bytes > capacity && first_item < 0) {
      first_item = i;
      first_over = bytes;
      largest = LargestText(memory);
    }
    if (bytes > peak || peak_item < 0) {
      peak = bytes;
      peak_item = i;
    }
  }
  if (first_item < 0) return;
  findings.Add(
      Rule::kMemoryExceeded, {SubjectKind::kItem, device, first_item},
      "device ", device, " @", problem.devices[device].name, " needs ",
      BytesText(first_over), " at item ", first_item, " (",
      ToString(program[first_item]), ") and has ", BytesText(capacity), ": ",
      first_over - capacity, " bytes over; ", BytesText(static_bytes),
      " are parameters, gradients and optimizer state, ", largest,
      "; its peak is ", BytesText(peak), " at item ", peak_item, " (",
      ToString(program[peak_item]),
      "); use a schedule with fewer micro-batches in flight, or more devices");
}

}  // namespace

void CheckMemory(const Problem& problem, const Plan& plan,
                 const std::vector<StageNode>& graph, FindingList& findings) {
  const std::vector<Bytes> static_bytes =
      StaticBytesOfDevices(problem, plan.partition, plan.placement);
  const int programs = static_cast<int>(plan.order.programs.size());
  for (int d = 0; d < static_cast<int>(problem.devices.size()); ++d) {
    if (problem.devices[d].memory_bytes == 0 || d >= programs) continue;
    CheckDevice(problem, plan.order.programs[d], graph, static_bytes[d], d,
                findings);
  }
}

}  // namespace octopipe
