// Cluster.proto ↔ the devices and links of a problem.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_PROTO_H_
#define OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_PROTO_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/schedule/problem.h"
#include "proto/cluster.pb.h"

namespace octopipe {

struct Cluster {
  std::string name;
  std::vector<Device> devices;
  std::vector<Link> links;
  Nanos launch_overhead_ns = 0;
};

// Expands groups and the catalogue (cluster.proto has the rules). Links run
// between existing devices, at most one per directed pair; with groups they are
// sorted by (from, to). Errors name the path: "groups[1].nodes: ...".
// O(devices² + links).
absl::StatusOr<Cluster> ClusterFromProto(const v1::Cluster& proto);

// Lossless: `devices` and `link_table`. InvalidArgument for names that are not
// UTF-8.
absl::StatusOr<v1::Cluster> ClusterToProto(const Cluster& cluster);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_PROTO_H_
