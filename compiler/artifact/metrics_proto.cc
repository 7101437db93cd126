#include "compiler/artifact/metrics_proto.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

// One row a field: its name in messages, the member, the accessors.
struct Field {
  const char* name;
  int64_t DeviceMetrics::*member;
  int64_t (v1::DeviceMetrics::*get)() const;
  void (v1::DeviceMetrics::*set)(int64_t);
};
constexpr Field kFields[] = {
    {"busy_ns", &DeviceMetrics::busy_ns, &v1::DeviceMetrics::busy_ns,
     &v1::DeviceMetrics::set_busy_ns},
    {"warmup_ns", &DeviceMetrics::warmup_ns, &v1::DeviceMetrics::warmup_ns,
     &v1::DeviceMetrics::set_warmup_ns},
    {"cooldown_ns", &DeviceMetrics::cooldown_ns,
     &v1::DeviceMetrics::cooldown_ns, &v1::DeviceMetrics::set_cooldown_ns},
    {"inner_ns", &DeviceMetrics::inner_ns, &v1::DeviceMetrics::inner_ns,
     &v1::DeviceMetrics::set_inner_ns},
    {"inner_data_ns", &DeviceMetrics::inner_data_ns,
     &v1::DeviceMetrics::inner_data_ns, &v1::DeviceMetrics::set_inner_data_ns},
    {"inner_transfer_ns", &DeviceMetrics::inner_transfer_ns,
     &v1::DeviceMetrics::inner_transfer_ns,
     &v1::DeviceMetrics::set_inner_transfer_ns},
    {"static_bytes", &DeviceMetrics::static_bytes,
     &v1::DeviceMetrics::static_bytes, &v1::DeviceMetrics::set_static_bytes},
    {"peak_bytes", &DeviceMetrics::peak_bytes, &v1::DeviceMetrics::peak_bytes,
     &v1::DeviceMetrics::set_peak_bytes},
};

constexpr int kNumBoundKinds = static_cast<int>(BoundKind::kMemory) + 1;
static_assert(static_cast<int>(BoundKind::kWork) + 1 == v1::Bound::WORK);
static_assert(kNumBoundKinds == v1::Bound::Kind_MAX);

}  // namespace

absl::StatusOr<Metrics> MetricsFromProto(const Order& order,
                                         const v1::Metrics& proto) {
  Metrics metrics;
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity("metrics", "makespan_ns", proto.makespan_ns()));
  metrics.makespan_ns = proto.makespan_ns();
  const int devices = static_cast<int>(order.programs.size());
  if (proto.devices_size() != devices) {
    return absl::InvalidArgumentError(
        absl::StrCat("metrics.devices: expected ", devices,
                     " for as many devices, got ", proto.devices_size()));
  }
  metrics.devices.resize(devices);
  for (int d = 0; d < devices; ++d) {
    const std::string path = absl::StrCat("metrics.devices[", d, "]");
    for (const Field& field : kFields) {
      const int64_t value = (proto.devices(d).*field.get)();
      OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, field.name, value));
      metrics.devices[d].*field.member = value;
    }
    const int peak_item = proto.devices(d).peak_item();
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "peak_item", peak_item, 0,
                   static_cast<int64_t>(order.programs[d].size())));
    metrics.devices[d].peak_item = peak_item - 1;
  }
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("metrics", "bubble_permille", proto.bubble_permille(),
                 metrics.BubblePermille(), metrics.BubblePermille()));
  return metrics;
}

void MetricsToProto(const Metrics& metrics, v1::Metrics* proto) {
  proto->set_makespan_ns(metrics.makespan_ns);
  proto->set_bubble_permille(metrics.BubblePermille());
  for (const DeviceMetrics& device : metrics.devices) {
    v1::DeviceMetrics* to = proto->add_devices();
    for (const Field& field : kFields) {
      (to->*field.set)(device.*field.member);
    }
    to->set_peak_item(device.peak_item + 1);
  }
}

absl::Status BoundsFromProto(const v1::Schedule& proto, Artifact* artifact) {
  for (int i = 0; i < proto.bounds_size(); ++i) {
    const v1::Bound& from = proto.bounds(i);
    const std::string path = absl::StrCat("bounds[", i, "]");
    OCTOPIPE_RETURN_IF_ERROR(
        CheckRange(path, "kind", from.kind(), 1, kNumBoundKinds));
    OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "ns", from.ns()));
    Bound bound;
    bound.kind = static_cast<BoundKind>(from.kind() - 1);
    bound.ns = from.ns();
    bound.certificate = from.certificate();
    bound.advice = from.advice();
    artifact->bounds.push_back(bound);
  }
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity("", "gap_ppm", proto.gap_ppm()));
  artifact->gap_ppm = proto.gap_ppm();
  return absl::OkStatus();
}

absl::Status BoundsToProto(const Artifact& artifact, v1::Schedule* proto) {
  for (const Bound& bound : artifact.bounds) {
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("certificate", bound.certificate));
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("advice", bound.advice));
    v1::Bound* to = proto->add_bounds();
    to->set_kind(
        static_cast<v1::Bound::Kind>(static_cast<int>(bound.kind) + 1));
    to->set_ns(bound.ns);
    to->set_certificate(bound.certificate);
    to->set_advice(bound.advice);
  }
  proto->set_gap_ppm(artifact.gap_ppm);
  return absl::OkStatus();
}

Provenance ProvenanceFromProto(const v1::Provenance& proto) {
  Provenance made_by;
  made_by.tool = proto.tool();
  made_by.policy = proto.policy();
  for (const v1::Provenance::Option& option : proto.options()) {
    made_by.options.emplace_back(option.name(), option.value());
  }
  made_by.seed = proto.seed();
  return made_by;
}

absl::Status ProvenanceToProto(const Provenance& made_by,
                               v1::Provenance* proto) {
  OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("tool", made_by.tool));
  OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("policy", made_by.policy));
  proto->set_tool(made_by.tool);
  proto->set_policy(made_by.policy);
  for (const auto& [name, value] : made_by.options) {
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("option", name));
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("option", value));
    v1::Provenance::Option* option = proto->add_options();
    option->set_name(name);
    option->set_value(value);
  }
  proto->set_seed(made_by.seed);
  return absl::OkStatus();
}

}  // namespace octopipe
