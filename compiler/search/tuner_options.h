// What the tuner may change, how long it searches and what it tells meanwhile.

#ifndef OCTOPIPE_COMPILER_SEARCH_TUNER_OPTIONS_H_
#define OCTOPIPE_COMPILER_SEARCH_TUNER_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "absl/strings/string_view.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/search/search_space.h"

namespace octopipe {

// The kinds of move: balance the load; arrange stages against the idle ends of
// the devices; reorder work against their inner idle time.
enum class MoveKind { kPartition, kPlacement, kOrder };
inline constexpr int kNumMoveKinds = 3;

// "partition", "placement", "order".
absl::string_view MoveKindName(MoveKind kind);

// A plan better than all before it.
struct TunerStep {
  // Of the island that found it; of a start, of the whole search.
  int64_t evaluations = 0;
  Nanos makespan_ns = 0;
  // The move that led to it; nullopt for a start.
  std::optional<MoveKind> move;
};

struct TunerProgress {
  Nanos makespan_ns = 0;
  Nanos bound_ns = 0;
  int64_t evaluations = 0;
  double seconds = 0;
};

struct TunerOptions {
  // The search ends with the first limit that is reached; 0: no such limit, but
  // one of the two is needed. Those of the sweep, of the starts and of the
  // search of a small problem count; they are done in any case.
  int64_t evaluations = 0;
  double time_limit_s = 0;
  // Ends the search when makespan / bound − 1 is at most this.
  int64_t target_gap_ppm = 0;
  uint64_t seed = 0;
  int threads = 1;
  // Kinds of move that are tried. Without the first two, all islands start from
  // the sweep's best layout.
  bool partition = true;
  bool placement = true;
  bool order = true;
  // Whether the backward may be split.
  bool split_backward = true;
  // What partitions and placements must keep; not owned. nullptr: nothing.
  // Whole backwards are up to `split_backward`.
  const SpaceFilter* space = nullptr;
  // A plan to start from as well; not owned.
  const Plan* warm_start = nullptr;
  // Ends the search when it becomes true; not owned.
  const std::atomic<bool>* cancel = nullptr;
  // Called after the sweep and after each round, by the caller's thread.
  std::function<void(const TunerProgress&)> progress;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SEARCH_TUNER_OPTIONS_H_
