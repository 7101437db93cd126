// What no plan can beat, with a certificate.

#ifndef OCTOPIPE_COMPILER_BOUNDS_BEST_BOUND_H_
#define OCTOPIPE_COMPILER_BOUNDS_BEST_BOUND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

enum class BoundKind {
  kWork,             // total work over total speed
  kIndivisibleWork,  // the same, with layers whole
  kChain,            // one micro-batch through the whole model and back
  kLoad,             // a device's load with head and tail
  kPacking,          // whole layers on devices that start in turn
  kMemory,           // the same, with what fits in the devices' memory
};

// "work", "indivisible-work", "chain", "load", "packing", "memory".
absl::string_view BoundKindName(BoundKind kind);

// A makespan that no partition, placement and order of `problem` beats. Every
// proof takes messages for alone on their ports: to share one only delays, and
// a later message brings no item forward.
struct Bound {
  BoundKind kind = BoundKind::kWork;
  Nanos ns = 0;
  // Which layer or device binds, in words.
  std::string certificate;
  // What would move it, in words, if it is the largest: see advice.h. The
  // functions below leave it empty.
  std::string advice;
};

// Each proves its claim in its own file. `problem` is valid.
Bound WorkBound(const Problem& problem);
Bound IndivisibleWorkBound(const Problem& problem);
Bound ChainBound(const Problem& problem);
Bound LoadBound(const Problem& problem);
// At least `from`, another bound; with its certificate where it is no larger.
// They search for it, and are less than `resolution` below what they can prove.
Bound PackingBound(const Problem& problem, const Bound& from,
                   Nanos resolution = 1);
Bound MemoryBound(const Problem& problem, const Bound& from,
                  Nanos resolution = 1);

// Whether any device has a limit, without which MemoryBound has nothing to say.
bool HasMemoryLimit(const Problem& problem);

// All of them that have something to say, and the largest; of equals the first
// in the order above.
std::vector<Bound> AllBounds(const Problem& problem, Nanos resolution = 1);
Bound BestBound(const Problem& problem, Nanos resolution = 1);

// The largest of `bounds`, of equals the first; null if there are none.
const Bound* LargestBound(const std::vector<Bound>& bounds);

// makespan / bound − 1, in 1/1000000, rounded up.
int64_t GapPpm(Nanos makespan_ns, Nanos bound_ns);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_BEST_BOUND_H_
