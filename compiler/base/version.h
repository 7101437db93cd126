// Which OctoPipe made an artifact.

#ifndef OCTOPIPE_COMPILER_BASE_VERSION_H_
#define OCTOPIPE_COMPILER_BASE_VERSION_H_

namespace octopipe {

inline constexpr char kToolVersion[] = "octopipe 0.1.0";

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BASE_VERSION_H_
