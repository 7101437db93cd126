#include "compiler/schedule/generators/alternate.h"

#include <algorithm>

namespace octopipe {

std::vector<WorkItem> Alternate(int slot, int micro_batches, int warmup) {
  std::vector<WorkItem> program;
  program.reserve(2 * static_cast<size_t>(micro_batches));
  int forwards = std::min(warmup, micro_batches);
  for (int m = 0; m < forwards; ++m) program.push_back(Forward(slot, m));
  for (int m = 0; m < micro_batches; ++m) {
    program.push_back(Backward(slot, m));
    if (forwards < micro_batches) program.push_back(Forward(slot, forwards++));
  }
  return program;
}

std::vector<WorkItem> AlternateSplit(int slot, int micro_batches, int warmup,
                                     int delay) {
  std::vector<WorkItem> program;
  program.reserve(3 * static_cast<size_t>(micro_batches));
  int forwards = std::min(warmup, micro_batches);
  for (int m = 0; m < forwards; ++m) program.push_back(Forward(slot, m));
  for (int m = 0; m < micro_batches; ++m) {
    program.push_back(InputGradient(slot, m));
    if (m >= delay) program.push_back(WeightGradient(slot, m - delay));
    if (forwards < micro_batches) program.push_back(Forward(slot, forwards++));
  }
  for (int m = std::max(0, micro_batches - delay); m < micro_batches; ++m) {
    program.push_back(WeightGradient(slot, m));
  }
  return program;
}

}  // namespace octopipe
