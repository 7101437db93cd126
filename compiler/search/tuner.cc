#include "compiler/search/tuner.h"

#include <utility>

#include "absl/status/status.h"
#include "compiler/base/status_macros.h"
#include "compiler/base/units.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/schedule/verify_plan.h"
#include "compiler/search/direct_tuner.h"
#include "compiler/search/extend_plan.h"
#include "compiler/search/key_scheduler.h"
#include "compiler/search/order_by_policy.h"
#include "compiler/simulator/evaluate.h"

namespace octopipe {
namespace {

// The part of a time limit that is kept for extending.
constexpr double kTimeToExtend = 0.1;

// The makespan of a plan; kNever if it does not solve the problem.
Nanos MakespanOf(const Problem& problem, const Plan& plan) {
  if (!VerifyPlan(problem, plan).empty()) return KeyScheduler::kNever;
  const auto timeline = EvaluateOrder(
      BuildStageTable(problem, plan.partition, plan.placement), plan.order);
  return timeline.ok() ? timeline->makespan_ns : KeyScheduler::kNever;
}

// Tunes for `micro_batches` and extends what comes of it.
absl::StatusOr<TunerResult> TuneAndExtend(const Problem& problem,
                                          int64_t micro_batches,
                                          const TunerOptions& options) {
  Problem small_problem = problem;
  small_problem.micro_batches = micro_batches;
  TunerOptions small_options = options;
  small_options.time_limit_s *= 1 - kTimeToExtend;
  Plan small_start;
  if (options.warm_start != nullptr) {
    small_start = ShortenPlan(*options.warm_start, micro_batches);
    small_options.warm_start = &small_start;
  }
  DirectTuner tuner(small_problem, small_options,
                    problem.micro_batches - micro_batches);
  OCTOPIPE_ASSIGN_OR_RETURN(TunerResult result, tuner.Run());

  Nanos makespan = KeyScheduler::kNever;
  auto offer = [&](Plan plan, Nanos plan_makespan) {
    if (plan_makespan >= makespan) return;
    makespan = plan_makespan;
    result.plan = std::move(plan);
  };
  absl::StatusOr<ExtendedPlan> extended =
      ExtendPlans(problem, micro_batches, tuner.finalists());
  if (extended.ok()) offer(std::move(extended->plan), extended->makespan_ns);
  if (!tuner.sweep_policy().empty()) {
    Plan plan = tuner.sweep_layout();
    absl::StatusOr<Order> order = OrderByPolicy(
        BuildStageTable(problem, plan.partition, plan.placement),
        tuner.sweep_policy(),
        options.split_backward ? BackwardSplit::kAuto : BackwardSplit::kNever);
    if (order.ok()) {
      plan.order = *std::move(order);
      const Nanos plan_makespan = MakespanOf(problem, plan);
      offer(std::move(plan), plan_makespan);
    }
  }
  if (options.warm_start != nullptr) {
    offer(*options.warm_start, MakespanOf(problem, *options.warm_start));
  }
  if (makespan == KeyScheduler::kNever) return extended.status();
  // The steps were those of the smaller problem.
  result.steps = {{result.evaluations, makespan, std::nullopt}};
  return result;
}

}  // namespace

absl::StatusOr<TunerResult> Tune(const Problem& problem,
                                 const TunerOptions& options) {
  OCTOPIPE_RETURN_IF_ERROR(CheckTunerOptions(problem, options));
  absl::StatusOr<TunerResult> result =
      absl::ResourceExhaustedError("no smaller problem");
  const int64_t smaller = MicroBatchesToExtend(problem);
  if (smaller > 0) result = TuneAndExtend(problem, smaller, options);
  if (absl::IsResourceExhausted(result.status())) {
    result = DirectTuner(problem, options).Run();
  }
  OCTOPIPE_RETURN_IF_ERROR(result.status());
  OCTOPIPE_RETURN_IF_ERROR(FinishTuning(problem, options, &*result));
  return result;
}

}  // namespace octopipe
