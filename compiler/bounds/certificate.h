// Keeps the largest of several claims, with its words.

#ifndef OCTOPIPE_COMPILER_BOUNDS_CERTIFICATE_H_
#define OCTOPIPE_COMPILER_BOUNDS_CERTIFICATE_H_

#include <string>

#include "compiler/base/units.h"
#include "compiler/bounds/best_bound.h"

namespace octopipe {

// Makes `bound` the claim of `ns` and `certificate` if that is larger.
void Raise(Nanos ns, const std::string& certificate, Bound& bound);

// "1 device", "4 devices".
std::string DevicesText(int devices);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_CERTIFICATE_H_
