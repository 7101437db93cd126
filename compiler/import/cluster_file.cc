#include "compiler/import/cluster_file.h"

#include "absl/status/status.h"
#include "compiler/artifact/cluster_groups.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"
#include "compiler/cost/device_catalogue.h"

namespace octopipe {

absl::StatusOr<Cluster> ImportCluster(const std::string& file,
                                      absl::string_view contents) {
  v1::Cluster proto;
  const absl::Status parsed = ParseMessage(contents, "cluster", &proto);
  if (!parsed.ok()) return InFile(file, parsed);
  absl::StatusOr<Cluster> cluster = ClusterFromProto(proto);
  if (!cluster.ok()) return InFile(file, cluster.status());
  return cluster;
}

absl::StatusOr<Cluster> CatalogueCluster(absl::string_view machine, int nodes) {
  OCTOPIPE_ASSIGN_OR_RETURN(const Machine* found, FindMachine(machine));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("", "nodes", nodes, 1, kMaxGroupedDevices / found->devices));
  v1::Cluster proto;
  proto.set_format_version(1);
  v1::DeviceGroup* group = proto.add_groups();
  group->set_catalogue(std::string(machine));
  group->set_nodes(nodes);
  return ClusterFromProto(proto);
}

absl::StatusOr<Cluster> UniformCluster(int devices, Bytes memory_bytes,
                                       Nanos hop_latency_ns,
                                       int64_t bytes_per_us) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("", "devices", devices, 1, kMaxGroupedDevices));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("", "hop_latency_ns", hop_latency_ns));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("", "bytes_per_us", bytes_per_us, 0, kMaxRate));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("", "memory_bytes", memory_bytes));
  v1::Cluster proto;
  proto.set_format_version(1);
  v1::DeviceGroup* group = proto.add_groups();
  group->set_devices_per_node(devices);
  group->set_memory_bytes(memory_bytes);
  if (hop_latency_ns > 0 || bytes_per_us > 0) {
    group->mutable_intra_node()->set_latency_ns(hop_latency_ns);
    group->mutable_intra_node()->set_bytes_per_us(bytes_per_us);
  }
  return ClusterFromProto(proto);
}

}  // namespace octopipe
