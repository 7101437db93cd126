#include "compiler/search/partition_moves.h"

#include <algorithm>
#include <vector>

#include "compiler/search/priority_weights.h"
#include "compiler/search/stage_edits.h"

namespace octopipe {
namespace {

// Moves one boundary by up to `reach` layers either way.
bool MoveBoundary(int64_t reach, std::mt19937_64& random, TunerState* state) {
  std::vector<int>& begin = state->partition.begin;
  const int stages = state->partition.stages();
  if (stages < 2) return false;
  const int b = 1 + static_cast<int>(Below(random, stages - 1));
  const int by = 1 + static_cast<int>(Below(random, reach));
  const int to = begin[b] + (Below(random, 2) == 0 ? by : -by);
  if (to <= begin[b - 1] || to >= begin[b + 1]) return false;
  begin[b] = to;
  return true;
}

// Moves neighbouring boundaries together: the stages between keep their size.
bool ShiftStages(std::mt19937_64& random, TunerState* state) {
  std::vector<int>& begin = state->partition.begin;
  const int stages = state->partition.stages();
  if (stages < 3) return false;
  int first = 1 + static_cast<int>(Below(random, stages - 1));
  int last = 1 + static_cast<int>(Below(random, stages - 1));
  if (first > last) std::swap(first, last);
  const int by = Below(random, 2) == 0 ? 1 : -1;
  if (begin[first] + by <= begin[first - 1] ||
      begin[last] + by >= begin[last + 1]) {
    return false;
  }
  for (int b = first; b <= last; ++b) begin[b] += by;
  return true;
}

bool CutStage(int devices, int most_stages, int micro_batches,
              std::mt19937_64& random, TunerState* state) {
  const std::vector<int>& begin = state->partition.begin;
  const int stages = state->partition.stages();
  if (stages >= most_stages) return false;
  const int s = static_cast<int>(Below(random, stages));
  if (begin[s + 1] - begin[s] < 2) return false;
  const int cut = begin[s] + 1 +
                  static_cast<int>(Below(random, begin[s + 1] - begin[s] - 1));
  // One half stays, the other goes anywhere.
  const int device = Below(random, 2) == 0
                         ? state->placement.device[s]
                         : static_cast<int>(Below(random, devices));
  const int half = s + static_cast<int>(Below(random, 2));
  CutStageAt(s, cut, micro_batches, state);
  state->placement.device[half] = device;
  return true;
}

bool JoinStages(int devices, int micro_batches, std::mt19937_64& random,
                TunerState* state) {
  const int stages = state->partition.stages();
  if (stages <= devices) return false;
  const int s = static_cast<int>(Below(random, stages - 1));
  const int kept = s + static_cast<int>(Below(random, 2));
  JoinStagesAt(s, kept, micro_batches, state);
  return true;
}

}  // namespace

bool MovePartition(int devices, int most_stages, int micro_batches,
                   std::mt19937_64& random, TunerState* state) {
  switch (Below(random, 8)) {
    case 0:
      return CutStage(devices, most_stages, micro_batches, random, state);
    case 1:
      return JoinStages(devices, micro_batches, random, state);
    case 2:
      return ShiftStages(random, state);
    case 3:
      return MoveBoundary(4, random, state);
    default:
      return MoveBoundary(1, random, state);
  }
}

}  // namespace octopipe
