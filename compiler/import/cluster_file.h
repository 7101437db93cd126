// Clusters from files, from the catalogue and from four numbers.

#ifndef OCTOPIPE_COMPILER_IMPORT_CLUSTER_FILE_H_
#define OCTOPIPE_COMPILER_IMPORT_CLUSTER_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/artifact/cluster_proto.h"

namespace octopipe {

// Reads Cluster.proto, text or binary. Errors begin with `file`.
absl::StatusOr<Cluster> ImportCluster(const std::string& file,
                                      absl::string_view contents);

// `nodes` machines of the catalogue (cost/device_catalogue.h). NotFound lists
// the names, InvalidArgument the number allowed.
absl::StatusOr<Cluster> CatalogueCluster(absl::string_view machine, int nodes);

// Equal devices "gpu0", "gpu1", … with a channel each way between any two. A
// hop that costs nothing (both numbers 0) needs no channel, so there is none.
// InvalidArgument names the number that is out of range.
absl::StatusOr<Cluster> UniformCluster(int devices, Bytes memory_bytes,
                                       Nanos hop_latency_ns,
                                       int64_t bytes_per_us);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_IMPORT_CLUSTER_FILE_H_
