#include "compiler/artifact/profile_proto.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/artifact/layer_names.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/artifact/proto_io.h"
#include "compiler/base/status_macros.h"

namespace octopipe {
namespace {

// More are a mistake in the file, and would cost memory out of proportion to
// it.
constexpr int kMaxLayers = 1 << 20;
constexpr int kMaxDeviceKinds = 64;

absl::StatusOr<LayerTimes> TimesFromProto(const std::string& path,
                                          const v1::LayerTimes& proto) {
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "f_ns", proto.f_ns()));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "b_ns", proto.b_ns()));
  OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, "w_ns", proto.w_ns()));
  return LayerTimes{proto.f_ns(), proto.b_ns(), proto.w_ns()};
}

void TimesToProto(const LayerTimes& times, v1::LayerTimes* proto) {
  proto->set_f_ns(times.f_ns);
  proto->set_b_ns(times.b_ns);
  proto->set_w_ns(times.w_ns);
}

// One row a field: its name in messages, the member, the accessors.
struct MemoryField {
  const char* name;
  Bytes LayerMemory::*member;
  int64_t (v1::LayerMemory::*get)() const;
  void (v1::LayerMemory::*set)(int64_t);
};
constexpr MemoryField kMemoryFields[] = {
    {"param_bytes", &LayerMemory::param_bytes, &v1::LayerMemory::param_bytes,
     &v1::LayerMemory::set_param_bytes},
    {"grad_bytes", &LayerMemory::grad_bytes, &v1::LayerMemory::grad_bytes,
     &v1::LayerMemory::set_grad_bytes},
    {"optimizer_bytes", &LayerMemory::optimizer_bytes,
     &v1::LayerMemory::optimizer_bytes, &v1::LayerMemory::set_optimizer_bytes},
    {"saved_b_bytes", &LayerMemory::saved_b_bytes,
     &v1::LayerMemory::saved_b_bytes, &v1::LayerMemory::set_saved_b_bytes},
    {"saved_w_bytes", &LayerMemory::saved_w_bytes,
     &v1::LayerMemory::saved_w_bytes, &v1::LayerMemory::set_saved_w_bytes},
    {"f_workspace_bytes", &LayerMemory::f_workspace_bytes,
     &v1::LayerMemory::f_workspace_bytes,
     &v1::LayerMemory::set_f_workspace_bytes},
    {"b_workspace_bytes", &LayerMemory::b_workspace_bytes,
     &v1::LayerMemory::b_workspace_bytes,
     &v1::LayerMemory::set_b_workspace_bytes},
};

absl::StatusOr<LayerMemory> MemoryFromProto(const std::string& path,
                                            const v1::LayerMemory& proto) {
  LayerMemory memory;
  for (const MemoryField& field : kMemoryFields) {
    const int64_t value = (proto.*field.get)();
    OCTOPIPE_RETURN_IF_ERROR(CheckQuantity(path, field.name, value));
    memory.*field.member = value;
  }
  return memory;
}

absl::StatusOr<LayerRole> RoleFromProto(const std::string& path,
                                        v1::LayerRole role) {
  switch (role) {
    case v1::BLOCK:
      return LayerRole::kBlock;
    case v1::EMBEDDING:
      return LayerRole::kEmbedding;
    case v1::HEAD:
      return LayerRole::kHead;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".role: expected BLOCK, EMBEDDING or HEAD, got ",
                       static_cast<int>(role)));
  }
}

v1::LayerRole RoleToProto(LayerRole role) {
  switch (role) {
    case LayerRole::kEmbedding:
      return v1::EMBEDDING;
    case LayerRole::kHead:
      return v1::HEAD;
    case LayerRole::kBlock:
      break;
  }
  return v1::BLOCK;
}

absl::StatusOr<LayerCost> CostFromProto(const std::string& path,
                                        const v1::LayerCost& proto) {
  OCTOPIPE_RETURN_IF_ERROR(CheckName(path, "kind", proto.kind()));
  OCTOPIPE_RETURN_IF_ERROR(CheckRange(
      path, "number of times_on", proto.times_on_size(), 0, kMaxDeviceKinds));
  LayerCost cost;
  cost.kind = proto.kind();
  OCTOPIPE_ASSIGN_OR_RETURN(cost.role, RoleFromProto(path, proto.role()));
  OCTOPIPE_ASSIGN_OR_RETURN(
      cost.times, TimesFromProto(absl::StrCat(path, ".times"), proto.times()));
  for (int i = 0; i < proto.times_on_size(); ++i) {
    const v1::DeviceKindTimes& on = proto.times_on(i);
    const std::string on_path = absl::StrCat(path, ".times_on[", i, "]");
    OCTOPIPE_RETURN_IF_ERROR(
        CheckName(on_path, "device_kind", on.device_kind()));
    OCTOPIPE_ASSIGN_OR_RETURN(LayerTimes times,
                              TimesFromProto(on_path, on.times()));
    cost.times_on.emplace_back(on.device_kind(), times);
  }
  auto by_kind = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(cost.times_on.begin(), cost.times_on.end(), by_kind);
  for (size_t i = 1; i < cost.times_on.size(); ++i) {
    if (cost.times_on[i].first == cost.times_on[i - 1].first) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".times_on: device kind '", cost.times_on[i].first,
                       "' stands twice"));
    }
  }
  OCTOPIPE_ASSIGN_OR_RETURN(
      cost.memory,
      MemoryFromProto(absl::StrCat(path, ".memory"), proto.memory()));
  cost.splittable = !proto.unsplittable();
  return cost;
}

void CostToProto(const LayerCost& cost, v1::LayerCost* proto) {
  proto->set_kind(cost.kind);
  proto->set_role(RoleToProto(cost.role));
  TimesToProto(cost.times, proto->mutable_times());
  for (const auto& [kind, times] : cost.times_on) {
    v1::DeviceKindTimes* on = proto->add_times_on();
    on->set_device_kind(kind);
    TimesToProto(times, on->mutable_times());
  }
  if (!(cost.memory == LayerMemory())) {
    v1::LayerMemory* memory = proto->mutable_memory();
    for (const MemoryField& field : kMemoryFields) {
      (memory->*field.set)(cost.memory.*field.member);
    }
  }
  proto->set_unsplittable(!cost.splittable);
}

absl::StatusOr<std::vector<int>> InputsFromProto(const std::string& path,
                                                 int layer,
                                                 const v1::Layer& proto) {
  std::vector<int> inputs;
  if (!proto.has_inputs()) {
    if (layer > 0) inputs.push_back(layer - 1);
    return inputs;
  }
  for (int input : proto.inputs().layers()) {
    if (input < 0 || input >= layer) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ".inputs: expected a layer below ", layer, ", got ", input));
    }
    if (!inputs.empty() && input <= inputs.back()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".inputs: expected ascending layers, got ", input,
                       " after ", inputs.back()));
    }
    inputs.push_back(input);
  }
  return inputs;
}

using KindTable = std::map<std::string, LayerCost>;

absl::StatusOr<KindTable> KindsFromProto(const v1::Profile& proto) {
  KindTable kinds;
  for (int i = 0; i < proto.kinds_size(); ++i) {
    const std::string path = absl::StrCat("kinds[", i, "]");
    OCTOPIPE_ASSIGN_OR_RETURN(LayerCost cost,
                              CostFromProto(path, proto.kinds(i)));
    if (cost.kind.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".kind: expected a name, got nothing"));
    }
    std::string kind = cost.kind;
    if (!kinds.emplace(kind, std::move(cost)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ".kind: '", kind, "' stands twice"));
    }
  }
  return kinds;
}

absl::StatusOr<Layer> LayerFromProto(const std::string& path, int index,
                                     const KindTable& kinds,
                                     const v1::Layer& proto) {
  Layer layer;
  layer.name = proto.name();
  switch (proto.cost_case()) {
    case v1::Layer::kKind: {
      auto it = kinds.find(proto.kind());
      if (it == kinds.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            path, ".kind: '", proto.kind(), "' is not one of the kinds: ",
            absl::StrJoin(kinds, ", ", [](std::string* out, const auto& kind) {
              out->append(kind.first);
            })));
      }
      layer.cost = it->second;
      break;
    }
    case v1::Layer::kOwnCost: {
      OCTOPIPE_ASSIGN_OR_RETURN(
          layer.cost,
          CostFromProto(absl::StrCat(path, ".own_cost"), proto.own_cost()));
      break;
    }
    case v1::Layer::COST_NOT_SET:
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": expected kind or own_cost, got neither"));
  }
  OCTOPIPE_ASSIGN_OR_RETURN(layer.inputs, InputsFromProto(path, index, proto));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity(path, "output_bytes", proto.output_bytes()));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity(path, "output_grad_bytes", proto.output_grad_bytes()));
  layer.output_bytes = proto.output_bytes();
  layer.output_grad_bytes = proto.has_output_grad_bytes()
                                ? proto.output_grad_bytes()
                                : proto.output_bytes();
  layer.needs_grad = !proto.no_gradient();
  layer.shares = proto.shares();
  return layer;
}

void LayerToProto(const Layer& layer, int index, const LayerCost* kind,
                  v1::Layer* proto) {
  proto->set_name(layer.name);
  if (kind != nullptr && *kind == layer.cost) {
    proto->set_kind(layer.cost.kind);
  } else {
    CostToProto(layer.cost, proto->mutable_own_cost());
  }
  for (int input : layer.inputs) proto->mutable_inputs()->add_layers(input);
  if (layer.inputs.empty()) proto->mutable_inputs();
  proto->set_output_bytes(layer.output_bytes);
  proto->set_output_grad_bytes(layer.output_grad_bytes);
  proto->set_no_gradient(!layer.needs_grad);
  proto->set_shares(layer.shares);
}

absl::Status CheckText(const ModelProfile& profile) {
  OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("model name", profile.name));
  OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("source", profile.source));
  for (const Layer& layer : profile.layers) {
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("layer name", layer.name));
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("layer kind", layer.cost.kind));
    OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("shared parameters", layer.shares));
    for (const auto& on : layer.cost.times_on) {
      OCTOPIPE_RETURN_IF_ERROR(CheckUtf8("device kind", on.first));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelProfile> ProfileFromProto(const v1::Profile& proto) {
  OCTOPIPE_RETURN_IF_ERROR(
      CheckFormatVersion("profile", proto.format_version()));
  ModelProfile profile;
  profile.name = proto.model();
  profile.source = proto.source();
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity("", "sequence_length", proto.sequence_length()));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckQuantity("", "micro_batch_size", proto.micro_batch_size()));
  profile.sequence_length = proto.sequence_length();
  profile.micro_batch_size = proto.micro_batch_size();
  OCTOPIPE_RETURN_IF_ERROR(
      CheckTokens(profile.sequence_length, profile.micro_batch_size));
  OCTOPIPE_ASSIGN_OR_RETURN(const KindTable kinds, KindsFromProto(proto));
  OCTOPIPE_RETURN_IF_ERROR(
      CheckRange("", "number of layers", proto.layers_size(), 1, kMaxLayers));
  profile.layers.reserve(proto.layers_size());
  for (int i = 0; i < proto.layers_size(); ++i) {
    OCTOPIPE_ASSIGN_OR_RETURN(
        Layer layer, LayerFromProto(absl::StrCat("layers[", i, "]"), i, kinds,
                                    proto.layers(i)));
    profile.layers.push_back(std::move(layer));
  }
  NameLayers(profile.layers);
  return profile;
}

absl::StatusOr<v1::Profile> ProfileToProto(const ModelProfile& profile) {
  OCTOPIPE_RETURN_IF_ERROR(CheckText(profile));
  v1::Profile proto;
  proto.set_format_version(1);
  proto.set_model(profile.name);
  proto.set_sequence_length(profile.sequence_length);
  proto.set_micro_batch_size(profile.micro_batch_size);
  proto.set_source(profile.source);
  absl::flat_hash_map<std::string, const LayerCost*> kinds;
  for (int i = 0; i < static_cast<int>(profile.layers.size()); ++i) {
    const LayerCost& cost = profile.layers[i].cost;
    const LayerCost* kind = nullptr;
    if (!cost.kind.empty()) {
      auto [it, is_new] = kinds.try_emplace(cost.kind, &cost);
      if (is_new) CostToProto(cost, proto.add_kinds());
      kind = it->second;
    }
    LayerToProto(profile.layers[i], i, kind, proto.add_layers());
  }
  return proto;
}

}  // namespace octopipe
