#include "compiler/artifact/plan_proto.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

// The kinds of both sides run in the same order; the wire keeps 0 for none.
static_assert(static_cast<int>(WorkKind::kForward) + 1 == v1::Program::F);
static_assert(static_cast<int>(WorkKind::kBackward) + 1 == v1::Program::BW);
static_assert(static_cast<int>(WorkKind::kReceiveGradient) + 1 ==
              v1::Program::RB);
static_assert(kNumWorkKinds == v1::Program::Kind_MAX);

struct StageBytes {
  Bytes fixed = 0;  // parameters, gradients, optimizer state
  Bytes saved = 0;  // activations of one micro-batch
};

// Saturates, so that a sum that overflows fails the range check.
void AddTo(Bytes* sum, Bytes bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum)) *sum = kMaxInt64;
}

StageBytes BytesOf(const Problem& problem, int begin, int end) {
  StageBytes bytes;
  for (int l = begin; l < end; ++l) {
    const LayerMemory& memory = problem.layers[l].cost.memory;
    AddTo(&bytes.fixed, memory.param_bytes);
    AddTo(&bytes.fixed, memory.grad_bytes);
    AddTo(&bytes.fixed, memory.optimizer_bytes);
    AddTo(&bytes.saved, memory.saved_b_bytes);
    AddTo(&bytes.saved, memory.saved_w_bytes);
  }
  return bytes;
}

absl::Status StagesFromProto(const Problem& problem, const v1::Schedule& proto,
                             Plan* plan) {
  const int layers = static_cast<int>(problem.layers.size());
  const int devices = static_cast<int>(problem.devices.size());
  int next = 0;
  for (int s = 0; s < proto.stages_size(); ++s) {
    const v1::Stage& stage = proto.stages(s);
    const std::string path = absl::StrCat("stages[", s, "]");
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "first_layer", stage.first_layer(), next, next));
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "num_layers", stage.num_layers(), 1, layers - next));
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "device", stage.device(), 0, devices - 1));
    const StageBytes bytes = BytesOf(problem, next, next + stage.num_layers());
    OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "static_bytes", bytes.fixed));
    OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "saved_bytes", bytes.saved));
    OCTOPIPE_RETURN_IF_ERROR(CheckRange(
        path, "static_bytes", stage.static_bytes(), bytes.fixed, bytes.fixed));
    OCTOPIPE_RETURN_IF_ERROR(CheckRange(
        path, "saved_bytes", stage.saved_bytes(), bytes.saved, bytes.saved));
    next += stage.num_layers();
    plan->partition.begin.push_back(next);
    plan->placement.device.push_back(stage.device());
  }
  if (next == layers) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "stages: expected to cover ", layers, " layers, got ", next));
}

absl::Status CheckColumns(const std::string& path, const v1::Program& program) {
  const int size = program.kinds_size();
  if (program.stages_size() == size && program.micro_batches_size() == size &&
      program.start_delta_ns_size() == size &&
      (program.slots_size() == 0 || program.slots_size() == size)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected columns of one length, got ", size, " kinds, ",
      program.stages_size(), " stages, ", program.micro_batches_size(),
      " micro_batches, ", program.slots_size(), " slots, ",
      program.start_delta_ns_size(), " start_delta_ns"));
}

struct Limits {
  int64_t stages;
  int64_t micro_batches;
};

// The common case is one comparison; the message is made only when it fails.
absl::Status CheckItem(const std::string& path, int position,
                       const v1::Program& program, Limits limits, int slot) {
  const int kind = program.kinds(position);
  const int stage = program.stages(position);
  const int micro_batch = program.micro_batches(position);
  const bool receives = kind == v1::Program::RF || kind == v1::Program::RB;
  const int max_slot = receives ? std::numeric_limits<int16_t>::max() : -1;
  if (kind >= v1::Program::F && kind <= v1::Program::RB && stage >= 0 &&
      stage < limits.stages && micro_batch >= 0 &&
      micro_batch < limits.micro_batches && slot >= -1 && slot <= max_slot) {
    return absl::OkStatus();
  }
  const std::string item = absl::StrCat(path, "[", position, "]");
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange(item, "kind", kind, v1::Program::F, v1::Program::RB));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange(item, "stage", stage, 0, limits.stages - 1));
  OCTOPIPE_RETURN_IF_ERROR(CheckRange(item, "micro_batch", micro_batch, 0,
                                      limits.micro_batches - 1));
  return CheckRange(item, "slot", slot, -1, max_slot);
}

absl::Status ProgramFromProto(const std::string& path,
                              const v1::Program& program, Limits limits,
                              std::vector<WorkItem>* items,
                              std::vector<Nanos>* starts) {
  OCTOPIPE_RETURN_IF_ERROR(CheckColumns(path, program));
  const int size = program.kinds_size();
  items->reserve(size);
  starts->reserve(size);
  Nanos start = 0;
  for (int i = 0; i < size; ++i) {
    const int slot = program.slots_size() == 0 ? -1 : program.slots(i);
    OCTOPIPE_RETURN_IF_ERROR(CheckItem(path, i, program, limits, slot));
    WorkItem item;
    item.kind = static_cast<WorkKind>(program.kinds(i) - 1);
    item.stage = program.stages(i);
    item.micro_batch = program.micro_batches(i);
    item.slot = static_cast<int16_t>(slot);
    items->push_back(item);
    const int64_t delta = program.start_delta_ns(i);
    if (__builtin_add_overflow(start, delta, &start) || start < 0 ||
        start > kMaxTotal) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, "[", i, "].start_delta_ns: ", delta,
                       " leads out of 0 to ", kMaxTotal));
    }
    starts->push_back(start);
  }
  return absl::OkStatus();
}

void ProgramToProto(const std::vector<WorkItem>& items,
                    const std::vector<Nanos>& starts, v1::Program* program) {
  const int size = static_cast<int>(items.size());
  program->mutable_kinds()->Reserve(size);
  program->mutable_stages()->Reserve(size);
  program->mutable_micro_batches()->Reserve(size);
  program->mutable_start_delta_ns()->Reserve(size);
  bool has_slots = false;
  Nanos before = 0;
  for (int i = 0; i < size; ++i) {
    const WorkItem& item = items[i];
    program->add_kinds(
        static_cast<v1::Program::Kind>(static_cast<int>(item.kind) + 1));
    program->add_stages(item.stage);
    program->add_micro_batches(item.micro_batch);
    // Wraps for starts out of range, which the reader then refuses.
    program->add_start_delta_ns(static_cast<int64_t>(
        static_cast<uint64_t>(starts[i]) - static_cast<uint64_t>(before)));
    before = starts[i];
    has_slots |= item.slot >= 0;
  }
  if (!has_slots) return;
  for (const WorkItem& item : items) program->add_slots(item.slot);
}

absl::Status SizeMismatch(absl::string_view what, size_t expected,
                          absl::string_view of, size_t got) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, ": expected ", expected, " for as many ", of, ", got ", got));
}

}  // namespace

absl::StatusOr<PlanAndTimeline> PlanFromProto(const Problem& problem,
                                              const v1::Schedule& proto) {
  PlanAndTimeline result;
  OCTOPIPE_RETURN_IF_ERROR(StagesFromProto(problem, proto, &result.plan));
  const size_t devices = problem.devices.size();
  if (static_cast<size_t>(proto.programs_size()) != devices) {
    return SizeMismatch("programs", devices, "devices", proto.programs_size());
  }
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity("", "makespan_ns", proto.makespan_ns()));
  result.timeline.makespan_ns = proto.makespan_ns();
  result.plan.order.programs.resize(devices);
  result.timeline.start_ns.resize(devices);
  const Limits limits = {proto.stages_size(), problem.micro_batches};
  for (size_t d = 0; d < devices; ++d) {
    OCTOPIPE_RETURN_IF_ERROR(ProgramFromProto(
        absl::StrCat("programs[", d, "]"), proto.programs(static_cast<int>(d)),
        limits, &result.plan.order.programs[d], &result.timeline.start_ns[d]));
  }
  return result;
}

absl::Status PlanToProto(const Problem& problem, const Plan& plan,
                         const Timeline& timeline, v1::Schedule* proto) {
  const std::vector<int>& begin = plan.partition.begin;
  const std::vector<int>& device = plan.placement.device;
  if (begin.size() != device.size() + 1) {
    return SizeMismatch("partition", device.size(), "placed stages",
                        begin.empty() ? 0 : begin.size() - 1);
  }
  for (size_t s = 0; s < device.size(); ++s) {
    const std::string path = absl::StrCat("stages[", s, "]");
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "begin", begin[s], 0,
                   static_cast<int64_t>(problem.layers.size())));
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "end", begin[s + 1], begin[s],
                   static_cast<int64_t>(problem.layers.size())));
    const StageBytes bytes = BytesOf(problem, begin[s], begin[s + 1]);
    v1::Stage* stage = proto->add_stages();
    stage->set_first_layer(begin[s]);
    stage->set_num_layers(begin[s + 1] - begin[s]);
    stage->set_device(device[s]);
    stage->set_static_bytes(bytes.fixed);
    stage->set_saved_bytes(bytes.saved);
  }
  const auto& programs = plan.order.programs;
  if (timeline.start_ns.size() != programs.size()) {
    return SizeMismatch("timeline", programs.size(), "programs",
                        timeline.start_ns.size());
  }
  for (size_t d = 0; d < programs.size(); ++d) {
    if (timeline.start_ns[d].size() != programs[d].size()) {
      return SizeMismatch(absl::StrCat("timeline of device ", d),
                          programs[d].size(), "items",
                          timeline.start_ns[d].size());
    }
    ProgramToProto(programs[d], timeline.start_ns[d], proto->add_programs());
  }
  proto->set_makespan_ns(timeline.makespan_ns);
  return absl::OkStatus();
}

}  // namespace octopipe
