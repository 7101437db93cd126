// A timeline for people at a terminal.

#ifndef OCTOPIPE_COMPILER_SIMULATOR_TIMELINE_TEXT_H_
#define OCTOPIPE_COMPILER_SIMULATOR_TIMELINE_TEXT_H_

#include <string>

#include "compiler/schedule/plan.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/simulator/metrics.h"

namespace octopipe {

// A Gantt chart in ASCII, at most `width` columns wide (at least 60): a time
// axis, one row per device that has work with the share of time that it is
// busy, and a legend of what occurs.
//
//           0 ms      2        4         6        8
//           +---------+--------+---------+--------+----
// device 0 |F0---F1---.........BW0=======....BW1=======|  66 %
// device 1 |.....F0---BW0======F1---BW1======..........|  66 %
// F forward   BW whole backward   . idle
//
// An item is its letters and its micro-batch, then a filler to its end. Where a
// device has several stages and there is room it reads F<stage>.<micro-batch>;
// where there is none for the micro-batch, it is letters only. Items that would
// be narrower than half a column are left out.
std::string RenderTimeline(const StageTable& table, const Order& order,
                           const Timeline& timeline, int width);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_SIMULATOR_TIMELINE_TEXT_H_
