// Work that gets done at a rate that changes now and then.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_FLUID_JOB_H_
#define OCTOPIPE_COMPILER_SIMULATOR_FLUID_JOB_H_

#include <limits>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"

namespace octopipe {

// Rates change at whole nanoseconds and are whole units of work a nanosecond,
// so what is left is exact. The job ends at the first whole nanosecond at which
// nothing is left.
class FluidJob {
 public:
  static constexpr Nanos kNever = std::numeric_limits<Nanos>::max();

  // Begins at `now`; its rate is 0 at first.
  void Begin(absl::uint128 work, Nanos now) {
    left_ = work;
    rate_ = 0;
    since_ns_ = now;
    end_ns_ = work == 0 ? now : kNever;
  }

  // From `now` on, which is before its end. True if that moves its end.
  bool SetRate(absl::uint128 rate, Nanos now) {
    if (rate == rate_ || left_ == 0) return false;
    left_ -= rate_ * static_cast<absl::uint128>(now - since_ns_);
    since_ns_ = now;
    rate_ = rate;
    const Nanos before = end_ns_;
    end_ns_ = rate == 0 ? kNever
                        : now + static_cast<Nanos>((left_ + rate - 1) / rate);
    return end_ns_ != before;
  }

  Nanos end_ns() const { return end_ns_; }

 private:
  absl::uint128 left_ = 0;  // at since_ns_
  absl::uint128 rate_ = 0;
  Nanos since_ns_ = 0;
  Nanos end_ns_ = 0;
};

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_FLUID_JOB_H_
