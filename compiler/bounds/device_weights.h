// Weights of devices for bounds on unequal devices.
//
// Let device d weigh p_d ≥ 0, and let layer l take t_ld there. Whatever the
// placement, Σ_d p_d · load_d ≥ Σ_l min_d p_d · t_ld: each layer weighs that
// much at least wherever it is. This is the dual of the linear relaxation of
// placing layers on devices (Lenstra, Shmoys, Tardos 1990), so any weights give
// a bound, and the best weights the best that the relaxation has.

#ifndef OCTOPIPE_COMPILER_BOUNDS_DEVICE_WEIGHTS_H_
#define OCTOPIPE_COMPILER_BOUNDS_DEVICE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "compiler/base/units.h"

namespace octopipe {

// times[l][d]; all ≥ 0.
using LayerDeviceTimes = std::vector<std::vector<Nanos>>;

struct DeviceWeights {
  std::vector<int64_t> of_device;  // each from 0 to 2^20, not all 0
  absl::int128 work = 0;           // Σ_l min_d p_d · t_ld
};

// Good weights: inversely to what the whole model takes on the device, then
// improved by a fixed number of rounds. On equal devices all are equal; on
// devices that differ in speed alone they are as the speeds.
DeviceWeights ChooseWeights(const LayerDeviceTimes& times);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_BOUNDS_DEVICE_WEIGHTS_H_
