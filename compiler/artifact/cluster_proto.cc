#include "compiler/artifact/cluster_proto.h"

#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/artifact/cluster_groups.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

absl::StatusOr<std::vector<Device>> SingleDevices(const v1::Cluster& proto) {
  std::vector<Device> devices;
  for (int i = 0; i < proto.devices_size(); ++i) {
    const v1::Device& from = proto.devices(i);
    Device device;
    device.name = from.name();
    device.kind = from.kind();
    device.memory_bytes = from.memory_bytes();
    if (from.has_speed_permille())
      device.speed_permille = from.speed_permille();
    OCTOPIPE_RETURN_IF_ERROR(
        CheckDevice(absl::StrCat("devices[", i, "]"), device));
    devices.push_back(std::move(device));
  }
  return devices;
}

using DeviceIndex = absl::flat_hash_map<std::string, int>;

absl::StatusOr<DeviceIndex> IndexDevices(const std::vector<Device>& devices) {
  DeviceIndex index;
  for (size_t d = 0; d < devices.size(); ++d) {
    if (devices[d].name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("devices[", d, "].name: expected a name, got nothing"));
    }
    if (!index.emplace(devices[d].name, static_cast<int>(d)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("devices[", d, "].name: '", devices[d].name,
                       "' stands twice; give groups a prefix of their own"));
    }
  }
  return index;
}

absl::StatusOr<Link> LinkFromProto(const std::string& path,
                                   const v1::Link& proto,
                                   const DeviceIndex& index) {
  Link link;
  for (const auto& [field, name, end] :
       {std::tuple("from", &proto.from(), &link.from),
        std::tuple("to", &proto.to(), &link.to)}) {
    auto it = index.find(*name);
    if (it == index.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".", field, ": no device is named '", *name, "'"));
    }
    *end = it->second;
  }
  link.latency_ns = proto.latency_ns();
  link.bytes_per_us = proto.bytes_per_us();
  link.port = proto.port();
  return link;
}

absl::Status CheckLink(const std::string& path, const Link& link) {
  if (link.from == link.to) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected two devices, got device ", link.from, " twice"));
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "latency_ns", link.latency_ns));
  return CheckRange(path, "bytes_per_us", link.bytes_per_us, 0, kMaxRate);
}

absl::StatusOr<std::vector<Link>> NamedLinks(const v1::Cluster& proto,
                                             const DeviceIndex& index) {
  std::vector<Link> links;
  for (int i = 0; i < proto.links_size(); ++i) {
    const std::string path = absl::StrCat("links[", i, "]");
    OCTOPIPE_ASSIGN_OR_RETURN(Link link,
                              LinkFromProto(path, proto.links(i), index));
    OCTOPIPE_RETURN_IF_ERROR(CheckLink(path, link));
    links.push_back(std::move(link));
  }
  return links;
}

absl::StatusOr<std::vector<Link>> TableLinks(const v1::LinkTable& table,
                                             int64_t devices) {
  const int size = table.from_size();
  if (table.to_size() != size || table.class_of_size() != size ||
      (table.port_of_size() != 0 && table.port_of_size() != size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("link_table: expected columns of one length, got ", size,
                     " from, ", table.to_size(), " to, ", table.class_of_size(),
                     " class_of, ", table.port_of_size(), " port_of"));
  }
  std::vector<Link> links(size);
  for (int i = 0; i < size; ++i) {
    const std::string path = absl::StrCat("link_table[", i, "]");
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "from", table.from(i), 0, devices - 1));
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "to", table.to(i), 0, devices - 1));
    OCTOPIPE_RETURN_IF_ERROR(CheckRange(path, "class_of", table.class_of(i), 0,
                                        table.classes_size() - 1));
    const v1::LinkTable::Class& kind = table.classes(table.class_of(i));
    links[i].from = table.from(i);
    links[i].to = table.to(i);
    links[i].latency_ns = kind.latency_ns();
    links[i].bytes_per_us = kind.bytes_per_us();
    if (table.port_of_size() != 0) {
      OCTOPIPE_RETURN_IF_ERROR(
          CheckRange(path, "port_of", table.port_of(i), 0, table.ports_size()));
      if (table.port_of(i) > 0)
        links[i].port = table.ports(table.port_of(i) - 1);
    }
    OCTOPIPE_RETURN_IF_ERROR(CheckLink(path, links[i]));
  }
  return links;
}

absl::Status CheckPairs(const std::vector<Link>& links,
                        const std::vector<Device>& devices) {
  absl::flat_hash_set<std::pair<int, int>> seen;
  seen.reserve(links.size());
  for (const Link& link : links) {
    if (!seen.emplace(link.from, link.to).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("links: two from '", devices[link.from].name, "' to '",
                       devices[link.to].name, "', at most one is allowed"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Cluster> ClusterFromProto(const v1::Cluster& proto) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckFormatVersion("cluster", proto.format_version()));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity("", "launch_overhead_ns", proto.launch_overhead_ns()));
  Cluster cluster;
  cluster.name = proto.name();
  cluster.launch_overhead_ns = proto.launch_overhead_ns();
  OCTOPIPE_ASSIGN_OR_RETURN(cluster.devices, SingleDevices(proto));
  OCTOPIPE_ASSIGN_OR_RETURN(const DeviceGroups groups,
                            AddGroups(proto, &cluster.devices));
  if (cluster.devices.empty()) {
    return absl::InvalidArgumentError(
        "expected devices or groups, got neither");
  }
  OCTOPIPE_ASSIGN_OR_RETURN(const DeviceIndex index,
                            IndexDevices(cluster.devices));
  OCTOPIPE_ASSIGN_OR_RETURN(cluster.links, NamedLinks(proto, index));
  if (proto.has_link_table()) {
    if (proto.groups_size() > 0 || proto.links_size() > 0) {
      return absl::InvalidArgumentError(
          "link_table: expected neither groups nor links beside it");
    }
    OCTOPIPE_ASSIGN_OR_RETURN(
        cluster.links,
        TableLinks(proto.link_table(),
                   static_cast<int64_t>(cluster.devices.size())));
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckPairs(cluster.links, cluster.devices));
  if (proto.groups_size() > 0) {
    cluster.links = JoinGroups(groups, cluster.devices, cluster.links);
  }
  return cluster;
}

absl::StatusOr<v1::Cluster> ClusterToProto(const Cluster& cluster) {
  v1::Cluster proto;
  proto.set_format_version(1);
  OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("cluster name", cluster.name));
  proto.set_name(cluster.name);
  proto.set_launch_overhead_ns(cluster.launch_overhead_ns);
  for (const Device& device : cluster.devices) {
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("device name", device.name));
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("device kind", device.kind));
    v1::Device* to = proto.add_devices();
    to->set_name(device.name);
    to->set_kind(device.kind);
    to->set_memory_bytes(device.memory_bytes);
    to->set_speed_permille(device.speed_permille);
  }
  if (cluster.links.empty()) return proto;
  v1::LinkTable* table = proto.mutable_link_table();
  std::map<std::pair<Nanos, int64_t>, int> classes;
  absl::flat_hash_map<std::string, int> ports;
  for (const Link& link : cluster.links) {
    table->add_from(link.from);
    table->add_to(link.to);
    auto [kind, is_new_kind] = classes.try_emplace(
        {link.latency_ns, link.bytes_per_us}, static_cast<int>(classes.size()));
    if (is_new_kind) {
      v1::LinkTable::Class* added = table->add_classes();
      added->set_latency_ns(link.latency_ns);
      added->set_bytes_per_us(link.bytes_per_us);
    }
    table->add_class_of(kind->second);
    int port_number = 0;
    if (!link.port.empty()) {
      auto [port, is_new_port] =
          ports.try_emplace(link.port, static_cast<int>(ports.size()) + 1);
      if (is_new_port) {
        OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("port", link.port));
        table->add_ports(link.port);
      }
      port_number = port->second;
    }
    table->add_port_of(port_number);
  }
  if (ports.empty()) table->clear_port_of();
  return proto;
}

}  // namespace octopipe
