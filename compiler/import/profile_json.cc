#include "compiler/import/profile_json.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "compiler/artifact/layer_names.h"
#include "compiler/artifact/proto_checks.h"
#include "compiler/base/status_macros.h"
#include "compiler/import/json_value.h"

namespace octopipe {
namespace {

using Kind = JsonValue::Kind;

// A model of more layers than this is a mistake in the file.
constexpr size_t kMaxLayers = size_t{1} << 20;

constexpr int kNanosPerMilli = 6;  // as a power of ten

LayerRole RoleOfName(absl::string_view name) {
  if (name == "embedding" || name == "embed") return LayerRole::kEmbedding;
  if (name == "lm_head" || name == "head") return LayerRole::kHead;
  return LayerRole::kBlock;
}

using KindTable = std::map<std::string, LayerCost>;

absl::StatusOr<KindTable> ReadKinds(const JsonFile& file) {
  OCTOPIPE_ASSIGN_OR_RETURN(
      const JsonValue* kinds,
      file.Member(file.root(), "", "kinds", Kind::kObject));
  KindTable table;
  std::set<std::string> names;
  for (size_t i = 0; i < kinds->keys.size(); ++i) {
    const std::string& letter = kinds->keys[i];
    const JsonValue& entry = kinds->items[i];
    const std::string path = absl::StrCat("kinds['", letter, "']");
    if (letter.size() != 1) {
      return file.Error(entry, path, "expected a single letter as key");
    }
    OCTOPIPE_ASSIGN_OR_RETURN(const JsonValue* name,
                              file.Member(entry, path, "name", Kind::kString));
    if (name->text.empty() ||
        static_cast<int64_t>(name->text.size()) > kMaxNameBytes) {
      return file.Error(*name, path,
                        absl::StrCat("expected a name of 1 to ", kMaxNameBytes,
                                     " bytes, got ", name->text.size()));
    }
    if (!names.insert(name->text).second) {
      return file.Error(*name, path,
                        absl::StrCat("name '", name->text, "' stands twice"));
    }
    LayerCost& cost = table[letter];
    cost.kind = name->text;
    cost.role = RoleOfName(name->text);
    OCTOPIPE_ASSIGN_OR_RETURN(cost.times.f_ns,
                              file.Quantity(entry, path, "forward_ns", 0));
    OCTOPIPE_ASSIGN_OR_RETURN(cost.times.b_ns,
                              file.Quantity(entry, path, "input_grad_ns", 0));
    OCTOPIPE_ASSIGN_OR_RETURN(cost.times.w_ns,
                              file.Quantity(entry, path, "weight_grad_ns", 0));
  }
  return table;
}

absl::Status ReadPattern(const JsonFile& file, const JsonValue& pattern,
                         ModelProfile* profile) {
  OCTOPIPE_ASSIGN_OR_RETURN(const KindTable kinds, ReadKinds(file));
  for (size_t i = 0; i < pattern.text.size(); ++i) {
    auto it = kinds.find(pattern.text.substr(i, 1));
    if (it == kinds.end()) {
      return file.Error(
          pattern, "layers",
          absl::StrCat(
              "unknown kind '", absl::CHexEscape(pattern.text.substr(i, 1)),
              "' at position ", i, "; known: ",
              absl::StrJoin(kinds, " ", [](std::string* out, const auto& kind) {
                out->append(kind.first);
              })));
    }
    Layer layer;
    layer.cost = it->second;
    profile->layers.push_back(std::move(layer));
  }
  return absl::OkStatus();
}

// A measured layer's kind, "M+E", in parts.
struct MeasuredKind {
  std::string block;
  bool embedding = false;
  bool head = false;
};

MeasuredKind ParseMeasuredKind(absl::string_view text) {
  MeasuredKind kind;
  kind.head = absl::ConsumeSuffix(&text, "+H");
  kind.embedding = absl::ConsumeSuffix(&text, "+E");
  if (text == "*") text = "attention";
  if (text == "-") text = "mlp";
  if (text == "#") text = "moe";
  kind.block = std::string(text);
  return kind;
}

absl::Status ReadMeasuredLayers(const JsonFile& file, const JsonValue& list,
                                ModelProfile* profile) {
  std::map<std::string, int> count;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const JsonValue& entry = list.items[i];
    const std::string path = absl::StrCat("layers[", i, "]");
    OCTOPIPE_ASSIGN_OR_RETURN(const JsonValue* symbol,
                              file.Member(entry, path, "kind", Kind::kString));
    const MeasuredKind kind = ParseMeasuredKind(symbol->text);
    if (kind.block.empty()) {
      return file.Error(
          *symbol, path + ".kind",
          absl::StrCat("expected <kind>[+E][+H], got '", symbol->text, "'"));
    }
    Layer layer;
    layer.name = absl::StrCat(kind.embedding ? "embed+" : "", kind.block, ".",
                              count[kind.block]++, kind.head ? "+head" : "");
    layer.cost.kind = absl::StrCat(kind.embedding ? "embedding+" : "",
                                   kind.block, kind.head ? "+head" : "");
    OCTOPIPE_ASSIGN_OR_RETURN(
        layer.cost.times.f_ns,
        file.Quantity(entry, path, "forward_ms", kNanosPerMilli));
    OCTOPIPE_ASSIGN_OR_RETURN(
        layer.cost.times.b_ns,
        file.Quantity(entry, path, "backward_ms", kNanosPerMilli));
    profile->layers.push_back(std::move(layer));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OptionalCount(const JsonFile& file, const char* key) {
  if (file.root().Find(key) == nullptr) return 0;
  return file.Quantity(file.root(), "", key, 0);
}

absl::Status ReadHeader(const JsonFile& file, ModelProfile* profile) {
  OCTOPIPE_ASSIGN_OR_RETURN(
      const JsonValue* model,
      file.Member(file.root(), "", "model", Kind::kString));
  profile->name = model->text;
  OCTOPIPE_ASSIGN_OR_RETURN(profile->sequence_length,
                            OptionalCount(file, "seq_len"));
  OCTOPIPE_ASSIGN_OR_RETURN(profile->micro_batch_size,
                            OptionalCount(file, "micro_batch_size"));
  const absl::Status tokens =
      CheckTokens(profile->sequence_length, profile->micro_batch_size);
  if (!tokens.ok()) return file.Error(file.root(), "", tokens.message());
  const JsonValue* note = file.root().Find("note");
  if (note != nullptr && note->kind == Kind::kString) {
    profile->source = note->text;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JsonProfile> ProfileFromJson(std::string file_name,
                                            std::string contents) {
  OCTOPIPE_ASSIGN_OR_RETURN(
      const JsonFile file,
      JsonFile::Parse(std::move(file_name), std::move(contents)));
  JsonProfile result;
  OCTOPIPE_RETURN_IF_ERROR(ReadHeader(file, &result.profile));
  const JsonValue* layers = file.root().Find("layers");
  if (layers == nullptr ||
      (layers->kind != Kind::kString && layers->kind != Kind::kArray)) {
    return file.Error(layers == nullptr ? file.root() : *layers, "layers",
                      "expected a pattern of kinds, such as \"EMML\", or an "
                      "array of measured layers");
  }
  const size_t size = layers->kind == Kind::kString ? layers->text.size()
                                                    : layers->items.size();
  if (size == 0 || size > kMaxLayers) {
    return file.Error(
        *layers, "layers",
        absl::StrCat("expected 1 to ", kMaxLayers, " layers, got ", size));
  }
  result.whole_backward = layers->kind == Kind::kArray;
  OCTOPIPE_RETURN_IF_ERROR(
      result.whole_backward ? ReadMeasuredLayers(file, *layers, &result.profile)
                            : ReadPattern(file, *layers, &result.profile));
  std::vector<Layer>& chain = result.profile.layers;
  for (size_t i = 1; i < chain.size(); ++i) {
    chain[i].inputs = {static_cast<int>(i) - 1};
  }
  NameLayers(chain);
  return result;
}

}  // namespace octopipe
