#include "compiler/search/partition_dp.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "compiler/base/finding.h"
#include "compiler/base/quantity_text.h"
#include "compiler/base/status_macros.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/stage_memory.h"

namespace octopipe {
namespace {

constexpr Nanos kNoLimit = std::numeric_limits<Nanos>::max();
// Steps between a device's whole memory for each stage and an even share.
constexpr int kShareSteps = 8;

enum class Objective { kLargestLoad, kSquaredLoads };

absl::Status CheckStages(int stages, int count, absl::string_view what) {
  const int limit = std::max(count, 1);
  if (stages >= 1 && stages <= limit) return absl::OkStatus();
  return ErrorAt(absl::StatusCode::kInvalidArgument, Rule::kStageEmpty,
                 {SubjectKind::kProblem},
                 absl::StrCat("cannot form ", stages, " stages from ", count,
                              " ", what, "; choose from 1 to ", limit));
}

absl::Status CheckDevices(const Problem& problem, int stages,
                          const Placement& placement) {
  if (static_cast<int>(placement.device.size()) != stages) {
    return absl::InvalidArgumentError(
        absl::StrCat("the placement has ", placement.device.size(),
                     " stages, the partition is to have ", stages));
  }
  const int devices = static_cast<int>(problem.devices.size());
  for (int s = 0; s < stages; ++s) {
    const int device = placement.device[s];
    if (device >= 0 && device < devices) continue;
    return ErrorAt(absl::StatusCode::kInvalidArgument, Rule::kUnknownDevice,
                   {SubjectKind::kStage, s},
                   absl::StrCat("stage ", s, " is on device ", device,
                                "; devices are 0 to ", devices - 1));
  }
  return absl::OkStatus();
}

// The cuts to choose from: what a run of layers costs as stage s, and how long
// a stage may be.
class CutSpace {
 public:
  CutSpace(const Problem& problem, const Placement& placement)
      : layers_(static_cast<int>(problem.layers.size())) {
    for (int device : placement.device) {
      auto [it, is_new] = sums_.try_emplace(device);
      if (is_new) it->second = PrefixSums(problem, problem.devices[device]);
      sum_of_stage_.push_back(&it->second);
    }
    first_of_stage_.assign(placement.device.size(), nullptr);
  }

  CutSpace(const CutSpace&) = delete;
  CutSpace& operator=(const CutSpace&) = delete;

  // Stages on `device` must keep within `bytes` each.
  void LimitStages(const Problem& problem, const Placement& placement,
                   int device, Bytes bytes) {
    firsts_[device] = LongestStages(problem, bytes);
    for (int s = 0; s < stages(); ++s) {
      if (placement.device[s] == device) first_of_stage_[s] = &firsts_[device];
    }
  }

  int layers() const { return layers_; }
  int stages() const { return static_cast<int>(sum_of_stage_.size()); }
  Nanos Load(int stage, int begin, int end) const {
    const std::vector<Nanos>& sum = *sum_of_stage_[stage];
    return sum[end] - sum[begin];
  }
  // The least begin of a stage that ends at `end`: every stage before it keeps
  // a layer.
  int First(int stage, int end) const {
    const std::vector<int>* first = first_of_stage_[stage];
    return std::max(stage, first == nullptr ? 0 : (*first)[end]);
  }

 private:
  static std::vector<Nanos> PrefixSums(const Problem& problem,
                                       const Device& device) {
    std::vector<Nanos> sums = {0};
    for (const Layer& layer : problem.layers) {
      const LayerTimes times = TimesOn(layer.cost, device);
      sums.push_back(sums.back() + times.f_ns + times.b_ns + times.w_ns);
    }
    return sums;
  }

  int layers_;
  // By device; nodes of a map stay where they are.
  std::map<int, std::vector<Nanos>> sums_;
  std::map<int, std::vector<int>> firsts_;
  std::vector<const std::vector<Nanos>*> sum_of_stage_;
  std::vector<const std::vector<int>*> first_of_stage_;
};

// The least largest load; nullopt if no cut keeps the limits.
std::optional<Nanos> LeastLargestLoad(const CutSpace& space) {
  const int layers = space.layers();
  std::vector<Nanos> before(layers + 1, kNoLimit);
  before[0] = 0;
  for (int s = 0; s < space.stages(); ++s) {
    std::vector<Nanos> now(layers + 1, kNoLimit);
    for (int j = s + 1; j <= layers; ++j) {
      for (int i = j - 1; i >= space.First(s, j); --i) {
        const Nanos load = space.Load(s, i, j);
        if (load >= now[j]) break;
        now[j] = std::min(now[j], std::max(before[i], load));
      }
    }
    before = std::move(now);
  }
  if (before[layers] == kNoLimit) return std::nullopt;
  return before[layers];
}

// The cut of least squared loads none of which is above `largest`. Sums of
// squares stay below the square of a sum, which is at most 2^120.
std::optional<Partition> LeastSquares(const CutSpace& space, Nanos largest) {
  const int layers = space.layers();
  const int stages = space.stages();
  constexpr absl::uint128 kNever = absl::Uint128Max();
  std::vector<absl::uint128> before(layers + 1, kNever);
  before[0] = 0;
  std::vector<std::vector<int>> begin(stages, std::vector<int>(layers + 1));
  for (int s = 0; s < stages; ++s) {
    std::vector<absl::uint128> now(layers + 1, kNever);
    for (int j = s + 1; j <= layers; ++j) {
      for (int i = j - 1; i >= space.First(s, j); --i) {
        const Nanos load = space.Load(s, i, j);
        const absl::uint128 square = absl::uint128(load) * absl::uint128(load);
        if (load > largest || square > now[j]) break;
        if (before[i] == kNever) continue;
        const absl::uint128 sum = before[i] + square;
        // Of equals the smallest i, which comes last.
        if (sum > now[j]) continue;
        now[j] = sum;
        begin[s][j] = i;
      }
    }
    before = std::move(now);
  }
  if (before[layers] == kNever) return std::nullopt;
  Partition cut;
  cut.begin.assign(stages + 1, layers);
  for (int s = stages - 1; s >= 0; --s) {
    cut.begin[s] = begin[s][cut.begin[s + 1]];
  }
  return cut;
}

std::optional<Partition> BestCut(const CutSpace& space, Objective objective) {
  if (objective == Objective::kSquaredLoads) {
    return LeastSquares(space, kNoLimit);
  }
  const std::optional<Nanos> largest = LeastLargestLoad(space);
  if (!largest) return std::nullopt;
  return LeastSquares(space, *largest);
}

// The device that is most bytes over its memory, and how many; 0 if none is.
std::pair<int, Bytes> MostOver(const Problem& problem, const Partition& cut,
                               const Placement& placement) {
  const std::vector<Bytes> need = MicroBatchBytes(problem, cut, placement);
  std::pair<int, Bytes> worst = {0, 0};
  for (size_t d = 0; d < need.size(); ++d) {
    const Bytes memory = problem.devices[d].memory_bytes;
    if (memory > 0 && need[d] - memory > worst.second) {
      worst = {static_cast<int>(d), need[d] - memory};
    }
  }
  return worst;
}

absl::Status NoCutFits(const Problem& problem, const Partition& best,
                       const Placement& placement, bool is_proof) {
  const auto [device, over] = MostOver(problem, best, placement);
  const Bytes memory = problem.devices[device].memory_bytes;
  return ErrorAt(
      absl::StatusCode::kResourceExhausted, Rule::kMemoryExceeded,
      {SubjectKind::kDevice, device},
      absl::StrCat(
          "device '", problem.devices[device].name, "' needs ",
          BytesText(memory + over), " for its stages and one micro-batch, ",
          BytesText(over), " over its ", BytesText(memory), "; ",
          is_proof ? "no cut into "
                   : "found no cut that fits, though there may be one, into ",
          placement.device.size(), " stages", is_proof ? " fits" : "",
          "; use more devices or another placement"));
}

// The shares of memory that stages of one device are held to: all of it for
// each at step kShareSteps, an even share at 0.
Bytes Share(Bytes memory, int stages, int step) {
  const Bytes even = memory / stages;
  return even + (memory - even) / kShareSteps * step +
         (memory - even) % kShareSteps * step / kShareSteps;
}

absl::StatusOr<Partition> Cut(const Problem& problem, int stages,
                              const Placement& placement, Objective objective) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckStages(stages, static_cast<int>(problem.layers.size()), "layers"));
  OCTOPIPE_RETURN_IF_ERROR(CheckDevices(problem, stages, placement));
  CutSpace space(problem, placement);
  const Partition unlimited = *BestCut(space, objective);
  if (MostOver(problem, unlimited, placement).second == 0) return unlimited;

  std::map<int, int> stages_on;
  for (int device : placement.device) ++stages_on[device];
  for (int step = kShareSteps; step >= 0; --step) {
    for (const auto [device, count] : stages_on) {
      const Bytes memory = problem.devices[device].memory_bytes;
      if (memory == 0) continue;
      space.LimitStages(problem, placement, device, Share(memory, count, step));
    }
    std::optional<Partition> cut = BestCut(space, objective);
    if (!cut) {
      // At the first step every stage may fill its device alone.
      return NoCutFits(problem, unlimited, placement, step == kShareSteps);
    }
    if (MostOver(problem, *cut, placement).second == 0) return *std::move(cut);
  }
  return NoCutFits(problem, unlimited, placement, false);
}

}  // namespace

absl::StatusOr<Partition> PartitionEven(const Problem& problem, int stages) {
  const int layers = static_cast<int>(problem.layers.size());
  std::vector<int> blocks;
  for (int l = 0; l < layers; ++l) {
    if (problem.layers[l].cost.role == LayerRole::kBlock) blocks.push_back(l);
  }
  const int count = static_cast<int>(blocks.size());
  OCTOPIPE_RETURN_IF_ERROR(
      CheckStages(stages, count, count < layers ? "blocks" : "layers"));
  const int each = count / stages;
  const int longer = count % stages;
  Partition partition;
  for (int s = 1; s < stages; ++s) {
    int begin = blocks[s * each + std::min(s, longer)];
    while (problem.layers[begin - 1].cost.role == LayerRole::kEmbedding) {
      --begin;
    }
    partition.begin.push_back(begin);
  }
  partition.begin.push_back(layers);
  return partition;
}

absl::StatusOr<Partition> PartitionMinMax(const Problem& problem, int stages,
                                          const Placement& placement) {
  return Cut(problem, stages, placement, Objective::kLargestLoad);
}

absl::StatusOr<Partition> PartitionMinVariance(const Problem& problem,
                                               int stages,
                                               const Placement& placement) {
  return Cut(problem, stages, placement, Objective::kSquaredLoads);
}

}  // namespace octopipe
