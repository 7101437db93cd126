#include "compiler/search/stage_memory.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {
namespace {

Bytes StaticBytes(const LayerMemory& memory) {
  return memory.param_bytes + memory.grad_bytes + memory.optimizer_bytes;
}

Bytes SavedBytes(const LayerMemory& memory) {
  return memory.saved_b_bytes + memory.saved_w_bytes;
}

// The bytes of a run of layers that grows at its end and shrinks at its start.
class Window {
 public:
  explicit Window(const Problem& problem) : problem_(problem) {}

  void Push(int layer) { Count(layer, +1); }
  void Pop(int layer) { Count(layer, -1); }
  Bytes bytes() const { return bytes_; }

 private:
  void Count(int l, int step) {
    const Layer& layer = problem_.layers[l];
    bytes_ += step * SavedBytes(layer.cost.memory);
    if (!layer.shares.empty()) {
      int& members = members_[layer.shares];
      const bool was_held = members > 0;
      members += step;
      if (was_held == (members > 0)) return;
    }
    bytes_ += step * StaticBytes(layer.cost.memory);
  }

  const Problem& problem_;
  Bytes bytes_ = 0;
  absl::flat_hash_map<absl::string_view, int> members_;
};

}  // namespace

std::vector<Bytes> MicroBatchBytes(const Problem& problem,
                                   const Partition& partition,
                                   const Placement& placement) {
  const StageTable table = BuildStageTable(problem, partition, placement);
  std::vector<Bytes> bytes = table.static_bytes;
  for (const StageCost& stage : table.stages) {
    bytes[stage.device] += stage.saved_bytes();
  }
  return bytes;
}

std::vector<Bytes> StageBytes(const Problem& problem,
                              const Partition& partition) {
  std::vector<Bytes> bytes;
  for (int s = 0; s < partition.stages(); ++s) {
    Window window(problem);
    for (int l = partition.begin[s]; l < partition.begin[s + 1]; ++l) {
      window.Push(l);
    }
    bytes.push_back(window.bytes());
  }
  return bytes;
}

std::vector<int> LongestStages(const Problem& problem, Bytes limit) {
  const int layers = static_cast<int>(problem.layers.size());
  std::vector<int> first(layers + 1, 0);
  Window window(problem);
  int begin = 0;
  for (int j = 1; j <= layers; ++j) {
    window.Push(j - 1);
    while (begin < j && window.bytes() > limit) window.Pop(begin++);
    first[j] = begin;
  }
  return first;
}

}  // namespace octopipe
