// Machines by name, so that a cluster of the usual ones takes one line.
//
// Capacities and bandwidths are the vendor's nominal figures: decimal units,
// one direction, per device, without protocol overhead. Memory is what the
// datasheet promises; the driver reports a little more or less, and a framework
// keeps some for itself, so set a limit of your own where it matters. Latencies
// are assumptions about a small send and receive between two processes, not
// measurements: kAssumedIntraNodeNs and kAssumedInterNodeNs.

#ifndef OCTOPIPE_COMPILER_COST_DEVICE_CATALOGUE_H_
#define OCTOPIPE_COMPILER_COST_DEVICE_CATALOGUE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/base/units.h"

namespace octopipe {

inline constexpr Nanos kAssumedIntraNodeNs = 10'000;
inline constexpr Nanos kAssumedInterNodeNs = 20'000;

// A node of equal devices: all of them joined by one switch, each with a
// network port of its own to the other nodes.
struct Machine {
  absl::string_view name;         // "8xh100"
  absl::string_view device_kind;  // "h100"
  int devices;
  Bytes memory_bytes;          // of one device
  int64_t intra_bytes_per_us;  // one device to the others of its node
  int64_t inter_bytes_per_us;  // one device to other nodes
  absl::string_view title;     // "NVIDIA HGX H100, 8 × H100 SXM5 80 GB"
};

// Sorted by name.
absl::Span<const Machine> MachineCatalogue();

// NotFound lists the names.
absl::StatusOr<const Machine*> FindMachine(absl::string_view name);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_COST_DEVICE_CATALOGUE_H_
