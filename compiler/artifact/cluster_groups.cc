#include "compiler/artifact/cluster_groups.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/base/status_macros.h"
#include "compiler/cost/device_catalogue.h"

namespace octopipe {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

absl::Status CheckChannel(const std::string& path, const v1::Channel& channel) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity(path, "latency_ns", channel.latency_ns()));
  return CheckRange(path, "bytes_per_us", channel.bytes_per_us(), 0, kMaxRate);
}

void FillChannel(Nanos latency_ns, int64_t bytes_per_us, v1::Channel* channel) {
  channel->set_latency_ns(latency_ns);
  channel->set_bytes_per_us(bytes_per_us);
  channel->set_shared_port(true);
}

absl::StatusOr<v1::DeviceGroup> FillFromCatalogue(const std::string& path,
                                                  v1::DeviceGroup group) {
  if (!group.catalogue().empty()) {
    absl::StatusOr<const Machine*> found = FindMachine(group.catalogue());
    if (!found.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".catalogue: ", found.status().message()));
    }
    const Machine& machine = **found;
    if (group.devices_per_node() == 0) {
      group.set_devices_per_node(machine.devices);
    }
    if (group.kind().empty()) group.set_kind(std::string(machine.device_kind));
    if (group.memory_bytes() == 0) group.set_memory_bytes(machine.memory_bytes);
    if (!group.has_intra_node()) {
      FillChannel(kAssumedIntraNodeNs, machine.intra_bytes_per_us,
                  group.mutable_intra_node());
    }
    if (!group.has_inter_node()) {
      FillChannel(kAssumedInterNodeNs, machine.inter_bytes_per_us,
                  group.mutable_inter_node());
    }
  }
  if (group.nodes() == 0) group.set_nodes(1);
  if (group.devices_per_node() == 0) group.set_devices_per_node(1);
  if (group.prefix().empty()) group.set_prefix("gpu");
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange(path, "nodes", group.nodes(), 1, kMaxInt32));
  OCTOPIPE_RETURN_IF_ERROR(CheckRange(path, "devices_per_node",
                                      group.devices_per_node(), 1, kMaxInt32));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckChannel(path + ".intra_node", group.intra_node()));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckChannel(path + ".inter_node", group.inter_node()));
  return group;
}

// The slower of both; where one is absent, the other.
std::optional<v1::Channel> SlowerOf(const v1::DeviceGroup& a,
                                    const v1::DeviceGroup& b) {
  if (!a.has_inter_node() && !b.has_inter_node()) return std::nullopt;
  if (!a.has_inter_node()) return b.inter_node();
  if (!b.has_inter_node()) return a.inter_node();
  const v1::Channel& x = a.inter_node();
  const v1::Channel& y = b.inter_node();
  v1::Channel slower;
  slower.set_latency_ns(std::max(x.latency_ns(), y.latency_ns()));
  // A bandwidth of 0 stands for an infinite one.
  slower.set_bytes_per_us(x.bytes_per_us() == 0 || y.bytes_per_us() == 0
                              ? std::max(x.bytes_per_us(), y.bytes_per_us())
                              : std::min(x.bytes_per_us(), y.bytes_per_us()));
  slower.set_shared_port(x.shared_port() || y.shared_port());
  return slower;
}

// What the groups put between two devices of theirs, if anything.
std::optional<Link> GroupLink(const DeviceGroups& all,
                              const std::vector<Device>& devices, int from,
                              int to) {
  const DeviceGroups::Node& a = all.node_of[from];
  const DeviceGroups::Node& b = all.node_of[to];
  if (a.group < 0 || b.group < 0) return std::nullopt;
  const bool same_node = a.group == b.group && a.number == b.number;
  std::optional<v1::Channel> channel;
  if (a.group == b.group) {
    const v1::DeviceGroup& group = all.groups[a.group];
    if (same_node && group.has_intra_node()) channel = group.intra_node();
    if (!same_node && group.has_inter_node()) channel = group.inter_node();
  } else if (all.inter_node) {
    channel = *all.inter_node;
  } else {
    channel = SlowerOf(all.groups[a.group], all.groups[b.group]);
  }
  if (!channel) return std::nullopt;
  Link link;
  link.from = from;
  link.to = to;
  link.latency_ns = channel->latency_ns();
  link.bytes_per_us = channel->bytes_per_us();
  if (channel->shared_port()) {
    link.port =
        absl::StrCat(devices[from].name, same_node ? ".intra" : ".inter");
  }
  return link;
}

}  // namespace

absl::Status CheckDevice(const std::string& path, const Device& device) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity(path, "memory_bytes", device.memory_bytes));
  return CheckRange(path, "speed_permille", device.speed_permille, 1, kMaxRate);
}

absl::StatusOr<DeviceGroups> AddGroups(const v1::Cluster& proto,
                                       std::vector<Device>* devices) {
  DeviceGroups all;
  all.node_of.resize(devices->size());
  if (proto.has_inter_node()) {
    OCTOPIPE_RETURN_IF_ERROR(CheckChannel("inter_node", proto.inter_node()));
    all.inter_node = proto.inter_node();
  }
  int number = 0;
  for (int g = 0; g < proto.groups_size(); ++g) {
    const std::string path = absl::StrCat("groups[", g, "]");
    OCTOPIPE_ASSIGN_OR_RETURN(v1::DeviceGroup group,
                              FillFromCatalogue(path, proto.groups(g)));
    const int64_t size =
        int64_t{group.nodes()} * int64_t{group.devices_per_node()};
    const int64_t total = static_cast<int64_t>(devices->size()) + size;
    if (total > kMaxGroupedDevices) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": ", total, " devices so far, at most ", kMaxGroupedDevices,
          " are joined each with each; list devices and the links in use"));
    }
    for (int64_t i = 0; i < size; ++i) {
      Device device;
      device.name = absl::StrCat(group.prefix(), number++);
      device.kind = group.kind();
      device.memory_bytes = group.memory_bytes();
      if (group.has_speed_permille()) {
        device.speed_permille = group.speed_permille();
      }
      OCTOPIPE_RETURN_IF_ERROR(CheckDevice(path, device));
      devices->push_back(std::move(device));
      all.node_of.push_back(
          {g, static_cast<int>(i / group.devices_per_node())});
    }
    all.groups.push_back(std::move(group));
  }
  return all;
}

std::vector<Link> JoinGroups(const DeviceGroups& groups,
                             const std::vector<Device>& devices,
                             const std::vector<Link>& named) {
  absl::flat_hash_map<std::pair<int, int>, const Link*> given;
  for (const Link& link : named) given[{link.from, link.to}] = &link;
  std::vector<Link> links;
  const int count = static_cast<int>(devices.size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from == to) continue;
      if (auto it = given.find({from, to}); it != given.end()) {
        links.push_back(*it->second);
      } else if (auto link = GroupLink(groups, devices, from, to)) {
        links.push_back(*std::move(link));
      }
    }
  }
  return links;
}

}  // namespace octopipe
