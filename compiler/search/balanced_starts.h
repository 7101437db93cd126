// Good plans at once: layouts that go round the devices a few times, balanced
// by what they promise (layout_loads.h), and list scheduled so that
// micro-batches flow through in turn.

#ifndef OCTOPIPE_COMPILER_SEARCH_BALANCED_STARTS_H_
#define OCTOPIPE_COMPILER_SEARCH_BALANCED_STARTS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/problem.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/tuner_state.h"

namespace octopipe {

struct BalancedStartsOptions {
  // Without it all backwards stay whole.
  bool split_backward = true;
  // Plans are compared as if the busiest device went on for as many more.
  int64_t further_micro_batches = 0;
  // Once so many items are scheduled the rest is left out. Some seconds.
  int64_t most_items = 60'000'000;
  // Ends it early.
  std::function<bool()> cancel;
};

struct BalancedStarts {
  // The shortest that memory admits; kNever if none does.
  Nanos makespan_ns = KeyScheduler::kNever;
  Plan plan;
  // What list scheduling made it and those before it from, each shorter than
  // the one before.
  std::vector<TunerState> states;
  int64_t evaluations = 0;
};

// Tries one to eight turns round the devices, in a loop or to and fro, each cut
// with the least squares of loads and repaired not at all, a little, more and
// as long as it helps: with many micro-batches balance counts most, with few
// that devices start in turn. The most promising repair goes first.
// Deterministic unless it is cancelled; there may be no plan.
//
// `problem` is valid.
BalancedStarts FindBalancedStarts(const Problem& problem,
                                  const BalancedStartsOptions& options);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_BALANCED_STARTS_H_
