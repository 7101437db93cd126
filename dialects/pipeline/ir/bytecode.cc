#include "dialects/pipeline/ir/bytecode.h"

#include <array>
#include <cstdint>
#include <limits>

#include "dialects/pipeline/ir/attrs.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace octopipe::pipeline {
namespace {

using Reader = mlir::DialectBytecodeReader;
using Writer = mlir::DialectBytecodeWriter;

enum Code : uint64_t {
  kTimes = 0,
  kProfile = 1,
  kMetrics = 2,
  kItems = 3,
  kTransfers = 4
};

template <size_t kNum>
mlir::LogicalResult ReadInts(Reader& reader, std::array<int64_t, kNum>& ints) {
  for (int64_t& value : ints) {
    if (mlir::failed(reader.readSignedVarInt(value))) return mlir::failure();
  }
  return mlir::success();
}

template <size_t kNum>
void WriteInts(Writer& writer, const std::array<int64_t, kNum>& ints) {
  for (int64_t value : ints) writer.writeSignedVarInt(value);
}

template <typename Attr, typename... Args>
mlir::Attribute Checked(Reader& reader, Args... args) {
  return Attr::getChecked([&] { return reader.emitError(); },
                          reader.getContext(), args...);
}

mlir::Attribute ReadTimes(Reader& reader) {
  std::array<int64_t, 3> ints;
  if (mlir::failed(ReadInts(reader, ints))) return {};
  return Checked<TimesAttr>(reader, ints[0], ints[1], ints[2]);
}

void Write(TimesAttr times, Writer& writer) {
  writer.writeVarInt(kTimes);
  WriteInts<3>(writer, {times.getFNs(), times.getBNs(), times.getWNs()});
}

mlir::Attribute ReadProfile(Reader& reader) {
  llvm::StringRef kind;
  std::array<int64_t, 10> ints;
  bool unsplittable;
  uint64_t role_value;
  mlir::DictionaryAttr on;
  if (mlir::failed(reader.readString(kind)) ||
      mlir::failed(ReadInts(reader, ints)) ||
      mlir::failed(reader.readBool(unsplittable)) ||
      mlir::failed(reader.readVarInt(role_value)) ||
      mlir::failed(reader.readAttribute(on))) {
    return {};
  }
  std::optional<Role> role;
  if (role_value <= std::numeric_limits<uint32_t>::max()) {
    role = symbolizeRole(static_cast<uint32_t>(role_value));
  }
  if (!role) {
    reader.emitError() << "profile: unknown role code " << role_value;
    return {};
  }
  return Checked<ProfileAttr>(reader, kind, ints[0], ints[1], ints[2], ints[3],
                              ints[4], ints[5], ints[6], ints[7], ints[8],
                              ints[9], unsplittable, *role, on);
}

void Write(ProfileAttr profile, Writer& writer) {
  writer.writeVarInt(kProfile);
  writer.writeOwnedString(profile.getKind());
  WriteInts<10>(writer, {profile.getFNs(), profile.getBNs(), profile.getWNs(),
                         profile.getParamBytes(), profile.getGradBytes(),
                         profile.getOptimizerBytes(), profile.getSavedBBytes(),
                         profile.getSavedWBytes(), profile.getFWorkspaceBytes(),
                         profile.getBWorkspaceBytes()});
  writer.writeOwnedBool(profile.getUnsplittable());
  writer.writeVarInt(static_cast<uint64_t>(profile.getRole()));
  writer.writeAttribute(profile.getOn());
}

mlir::Attribute ReadMetrics(Reader& reader) {
  std::array<int64_t, 3> ints;
  llvm::StringRef bound;
  if (mlir::failed(ReadInts(reader, ints)) ||
      mlir::failed(reader.readString(bound))) {
    return {};
  }
  return Checked<MetricsAttr>(reader, ints[0], ints[1], bound, ints[2]);
}

void Write(MetricsAttr metrics, Writer& writer) {
  writer.writeVarInt(kMetrics);
  WriteInts<3>(writer, {metrics.getMakespanNs(), metrics.getBoundNs(),
                        metrics.getBubblePermille()});
  writer.writeOwnedString(metrics.getBound());
}

mlir::Attribute ReadTransfers(Reader& reader) {
  int64_t slots;
  bool channel_per_kind, group;
  if (mlir::failed(reader.readSignedVarInt(slots)) ||
      mlir::failed(reader.readBool(channel_per_kind)) ||
      mlir::failed(reader.readBool(group))) {
    return {};
  }
  return Checked<TransfersAttr>(reader, slots, channel_per_kind, group);
}

void Write(TransfersAttr transfers, Writer& writer) {
  writer.writeVarInt(kTransfers);
  writer.writeSignedVarInt(transfers.getSlots());
  writer.writeOwnedBool(transfers.getChannelPerKind());
  writer.writeOwnedBool(transfers.getGroup());
}

// Kind and slot share a number: slot + 1 above the kind's three bits, and above
// its 16 bits whether a peer follows.
constexpr int kKindBits = 3;
constexpr int kPeerBit = kKindBits + 16;
static_assert(kNumWorkKinds <= 1 << kKindBits);

mlir::LogicalResult ReadItem(Reader& reader, WorkItem* item) {
  uint64_t head, stage, micro_batch;
  if (mlir::failed(reader.readVarInt(head)) ||
      mlir::failed(reader.readVarInt(stage)) ||
      mlir::failed(reader.readVarInt(micro_batch))) {
    return mlir::failure();
  }
  constexpr uint64_t kMaxNumber = std::numeric_limits<int32_t>::max();
  constexpr uint64_t kMaxSlot = std::numeric_limits<int16_t>::max();
  const bool has_peer = head >> kPeerBit == 1;
  uint64_t peer = 0;
  if (has_peer) {
    if (mlir::failed(reader.readVarInt(peer))) return mlir::failure();
    head &= (uint64_t{1} << kPeerBit) - 1;
  }
  const uint64_t slot_plus_one = head >> kKindBits;
  if (stage > kMaxNumber || micro_batch > kMaxNumber || peer > kMaxNumber ||
      slot_plus_one > kMaxSlot + 1) {
    return reader.emitError() << "items: a number is out of range";
  }
  item->kind = static_cast<WorkKind>(head & ((1 << kKindBits) - 1));
  item->slot = static_cast<int16_t>(slot_plus_one) - 1;
  item->stage = static_cast<int32_t>(stage);
  item->micro_batch = static_cast<int32_t>(micro_batch);
  item->peer = has_peer ? static_cast<int32_t>(peer) : -1;
  return mlir::success();
}

mlir::Attribute ReadItems(Reader& reader) {
  uint64_t size;
  if (mlir::failed(reader.readVarInt(size))) return {};
  // `size` may be wrong in a damaged file: grow with what is really there.
  llvm::SmallVector<WorkItem> items;
  for (uint64_t i = 0; i < size; ++i) {
    if (mlir::failed(ReadItem(reader, &items.emplace_back()))) return {};
  }
  return Checked<ItemsAttr>(reader, llvm::ArrayRef<WorkItem>(items));
}

void Write(ItemsAttr items, Writer& writer) {
  writer.writeVarInt(kItems);
  writer.writeVarInt(items.getItems().size());
  for (const WorkItem& item : items.getItems()) {
    writer.writeVarInt(static_cast<uint64_t>(item.kind) |
                       static_cast<uint64_t>(item.slot + 1) << kKindBits |
                       static_cast<uint64_t>(item.peer >= 0) << kPeerBit);
    writer.writeVarInt(item.stage);
    writer.writeVarInt(item.micro_batch);
    if (item.peer >= 0) writer.writeVarInt(item.peer);
  }
}

struct PipelineBytecode : public mlir::BytecodeDialectInterface {
  explicit PipelineBytecode(mlir::Dialect* dialect)
      : BytecodeDialectInterface(dialect) {}

  mlir::Attribute readAttribute(Reader& reader) const override {
    uint64_t code;
    if (mlir::failed(reader.readVarInt(code))) return {};
    switch (code) {
      case kTimes:
        return ReadTimes(reader);
      case kProfile:
        return ReadProfile(reader);
      case kMetrics:
        return ReadMetrics(reader);
      case kItems:
        return ReadItems(reader);
      case kTransfers:
        return ReadTransfers(reader);
    }
    reader.emitError() << "unknown pipeline attribute code " << code;
    return {};
  }

  mlir::LogicalResult writeAttribute(mlir::Attribute attr,
                                     Writer& writer) const override {
    return llvm::TypeSwitch<mlir::Attribute, mlir::LogicalResult>(attr)
        .Case<TimesAttr, ProfileAttr, MetricsAttr, ItemsAttr, TransfersAttr>(
            [&](auto typed) {
              Write(typed, writer);
              return mlir::success();
            })
        .Default([](mlir::Attribute) { return mlir::failure(); });
  }
};

}  // namespace

void AddBytecodeInterface(PipelineDialect& dialect) {
  dialect.addInterfaces<PipelineBytecode>();
}

}  // namespace octopipe::pipeline
