#include "compiler/search/stage_edits.h"

#include <cstdint>
#include <vector>

namespace octopipe {
namespace {

// `size` values a stage, stage by stage; nothing if there are none.
template <typename T>
void Repeat(int s, int64_t size, std::vector<T>* values) {
  if (values->empty()) return;
  const auto at = values->begin() + s * size;
  const std::vector<T> copy(at, at + size);
  values->insert(at + size, copy.begin(), copy.end());
}

template <typename T>
void Erase(int s, int64_t size, std::vector<T>* values) {
  if (values->empty()) return;
  const auto at = values->begin() + s * size;
  values->erase(at, at + size);
}

}  // namespace

void CutStageAt(int s, int at, int micro_batches, TunerState* state) {
  std::vector<int>& begin = state->partition.begin;
  begin.insert(begin.begin() + s + 1, at);
  Repeat(s, 1, &state->placement.device);
  Repeat(s, 1, &state->split);
  Repeat(s, 1, &state->windows);
  Repeat(s, 3, &state->weights.task_ns);
  Repeat(s, 3 * int64_t{micro_batches}, &state->keys);
}

void JoinStagesAt(int s, int kept, int micro_batches, TunerState* state) {
  const int gone = kept == s ? s + 1 : s;
  state->partition.begin.erase(state->partition.begin.begin() + s + 1);
  Erase(gone, 1, &state->placement.device);
  Erase(gone, 1, &state->split);
  Erase(gone, 1, &state->windows);
  Erase(gone, 3, &state->weights.task_ns);
  Erase(gone, 3 * int64_t{micro_batches}, &state->keys);
}

}  // namespace octopipe
