// The compact forms of cluster.proto: groups of equal devices.

#ifndef OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_GROUPS_H_
#define OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/base/units.h"
#include "compiler/schedule/problem.h"
#include "proto/cluster.pb.h"

namespace octopipe {

// Speeds and bandwidths: the core multiplies remainders of both by 1,000.
inline constexpr int64_t kMaxRate = kMaxTotal / 1000;

// A cluster with groups has at most this many devices: 4 million links.
inline constexpr int64_t kMaxGroupedDevices = 2048;

struct DeviceGroups {
  struct Node {
    int group = -1;  // -1: the device stands alone
    int number = 0;  // within the group
  };
  std::vector<Node> node_of;            // of each device of the cluster
  std::vector<v1::DeviceGroup> groups;  // the catalogue and defaults filled in
  std::optional<v1::Channel> inter_node;
};

// InvalidArgument if a number of `device`, which `path` names, is out of range.
absl::Status CheckDevice(const std::string& path, const Device& device);

// Appends the devices of all groups to the single ones in `devices`.
absl::StatusOr<DeviceGroups> AddGroups(const v1::Cluster& proto,
                                       std::vector<Device>* devices);

// All links of the cluster, sorted by (from, to): `named` where it has one,
// else what the groups put there. O(devices²).
std::vector<Link> JoinGroups(const DeviceGroups& groups,
                             const std::vector<Device>& devices,
                             const std::vector<Link>& named);

}  // namespace octopipe

#endif  // OCTOPIPE_COMPILER_ARTIFACT_CLUSTER_GROUPS_H_
