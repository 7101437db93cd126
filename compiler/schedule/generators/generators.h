// The generators behind the table in named_schedules.cc. Each file there has
// the schedule's chart, its paper and what was generalised.

#ifndef OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_GENERATORS_H_
#define OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_GENERATORS_H_

#include "absl/status/status.h"
#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"

namespace octopipe {

// The table of schedules documents what these mean: a Check says whether a
// table fits, and a Generate expects one that does. All are O(items), the V
// family O(items · log items).
absl::Status CheckGPipe(const StageTable& table);
Order GenerateGPipe(const StageTable& table);

absl::Status CheckOneFOneB(const StageTable& table);
Order GenerateOneFOneB(const StageTable& table);

absl::Status CheckInterleaved(const StageTable& table);
Order GenerateInterleaved(const StageTable& table);

absl::Status CheckZbH1(const StageTable& table);
Order GenerateZbH1(const StageTable& table);

absl::Status CheckZbH2(const StageTable& table);
Order GenerateZbH2(const StageTable& table);

absl::Status CheckZbV(const StageTable& table);
Order GenerateZbV(const StageTable& table);

absl::Status CheckVHalf(const StageTable& table);
Order GenerateVHalf(const StageTable& table);

absl::Status CheckVMin(const StageTable& table);
Order GenerateVMin(const StageTable& table);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SCHEDULE_GENERATORS_GENERATORS_H_
