// Problems that a solver can solve to the end: a few layers, devices and
// micro-batches, of every feature of the model of the work.

#ifndef OCTOPIPE_TESTS_ORACLES_EXACT_SMALL_PROBLEM_H_
#define OCTOPIPE_TESTS_ORACLES_EXACT_SMALL_PROBLEM_H_

#include "compiler/schedule/problem.h"

namespace octopipe {

// What a small problem has beside layers of unequal costs in a chain on equal
// devices, one family after the other by index:
//   0  nothing; every other one has layers that are alike, as real models do
//   1  links with latency and bandwidth between all devices or some
//   2  devices of limited memory
//   3  devices of unequal speed, and times measured on a kind of them
//   4  launch overhead, and layers whose backward may not be split
//   5  layers that read from several others, tied parameters, no gradient
//   6  links and limited memory
//   7  all of it
inline constexpr int kSmallFamilies = 8;
inline constexpr int kSmallProblems = 304;

// Problem `index` of kSmallProblems: 2 or 3 devices, 3 to 6 layers, 2 to 4
// micro-batches, valid; a plan fits in memory. The same for the same index on
// every machine.
Problem SmallProblem(int index);

}  // namespace octopipe

#endif  // OCTOPIPE_TESTS_ORACLES_EXACT_SMALL_PROBLEM_H_
