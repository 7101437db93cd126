#include "dialects/pipeline/ir/assembly_format.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "dialects/pipeline/ir/attrs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace octopipe::pipeline {

mlir::ParseResult ParseQuantity(mlir::AsmParser& parser, llvm::StringRef key,
                                int64_t* value) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::APInt parsed;
  mlir::OptionalParseResult result = parser.parseOptionalInteger(parsed);
  if (!result.has_value()) {
    return parser.emitError(loc) << key << ": expected an integer";
  }
  if (mlir::failed(*result)) return mlir::failure();
  if (parsed.getSignificantBits() > 64) {
    return parser.emitError(loc)
           << key << " is " << llvm::toString(parsed, 10, /*Signed=*/true)
           << "; expected " << std::numeric_limits<int64_t>::min() << " to "
           << std::numeric_limits<int64_t>::max();
  }
  *value = parsed.getSExtValue();
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

mlir::ParseResult ParseItems(mlir::AsmParser& parser,
                             llvm::SmallVectorImpl<WorkItem>& items) {
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        const llvm::SMLoc loc = parser.getCurrentLocation();
        llvm::StringRef word;
        if (mlir::failed(parser.parseOptionalKeyword(&word))) {
          return parser.emitError(loc)
                 << "expected a work item, such as F2.5 or BW0.3";
        }
        absl::StatusOr<WorkItem> item =
            ParseWorkItem(absl::string_view(word.data(), word.size()));
        if (!item.ok()) {
          const absl::string_view message = item.status().message();
          return parser.emitError(loc)
                 << llvm::StringRef(message.data(), message.size());
        }
        items.push_back(*item);
        return mlir::success();
      });
}

void PrintItems(mlir::AsmPrinter& printer, llvm::ArrayRef<WorkItem> items) {
  constexpr size_t kItemsPerLine = 16;
  std::string line = "[";
  printer.increaseIndent();
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) line += i % kItemsPerLine == 0 ? "," : ", ";
    if (i > 0 && i % kItemsPerLine == 0) {
      printer.getStream() << line;
      printer.printNewline();
      line.clear();
    }
    AppendItem(items[i], &line);
  }
  printer.getStream() << line << "]";
  printer.decreaseIndent();
}

mlir::ParseResult parseItemList(mlir::OpAsmParser& parser, ItemsAttr& items) {
  llvm::SmallVector<WorkItem> parsed;
  if (mlir::failed(ParseItems(parser, parsed))) return mlir::failure();
  items = ItemsAttr::get(parser.getContext(), parsed);
  return mlir::success();
}

void printItemList(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                   ItemsAttr items) {
  PrintItems(printer, items.getItems());
}

mlir::Attribute ItemsAttr::parse(mlir::AsmParser& parser, mlir::Type type) {
  llvm::SmallVector<WorkItem> items;
  if (parser.parseLess() || ParseItems(parser, items) ||
      parser.parseGreater()) {
    return {};
  }
  return ItemsAttr::get(parser.getContext(), items);
}

void ItemsAttr::print(mlir::AsmPrinter& printer) const {
  printer << "<";
  PrintItems(printer, getItems());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {

constexpr std::array<llvm::StringLiteral, 3> kTimeKeys = {
    llvm::StringLiteral("f_ns"), llvm::StringLiteral("b_ns"),
    llvm::StringLiteral("w_ns")};

// The order in which a profile is printed, and of ProfileAttr's parameters.
constexpr std::array<llvm::StringLiteral, 10> kProfileKeys = {
    llvm::StringLiteral("f_ns"),
    llvm::StringLiteral("b_ns"),
    llvm::StringLiteral("w_ns"),
    llvm::StringLiteral("param_bytes"),
    llvm::StringLiteral("grad_bytes"),
    llvm::StringLiteral("optimizer_bytes"),
    llvm::StringLiteral("saved_b_bytes"),
    llvm::StringLiteral("saved_w_bytes"),
    llvm::StringLiteral("f_workspace_bytes"),
    llvm::StringLiteral("b_workspace_bytes")};

// Parses `key = value` of the quantities `keys`, each at most once. `seen` has
// one entry a key.
template <size_t kNum>
class QuantityParser {
 public:
  QuantityParser(mlir::AsmParser& parser,
                 const std::array<llvm::StringLiteral, kNum>& keys)
      : parser_(parser), keys_(keys) {}

  // Nothing if `key` is not one of the quantities.
  mlir::OptionalParseResult Parse(llvm::SMLoc loc, llvm::StringRef key) {
    const auto* it = llvm::find(keys_, key);
    if (it == keys_.end()) return std::nullopt;
    std::optional<int64_t>& value = values_[it - keys_.begin()];
    if (value) return Repeated(loc, key);
    int64_t parsed = 0;
    if (parser_.parseEqual() || ParseQuantity(parser_, key, &parsed)) {
      return mlir::failure();
    }
    value = parsed;
    return mlir::success();
  }

  mlir::ParseResult Repeated(llvm::SMLoc loc, llvm::StringRef key) {
    return parser_.emitError(loc) << "key " << key << " stands twice";
  }

  int64_t operator[](size_t i) const { return values_[i].value_or(0); }

 private:
  mlir::AsmParser& parser_;
  const std::array<llvm::StringLiteral, kNum>& keys_;
  std::array<std::optional<int64_t>, kNum> values_;
};

mlir::ParseResult ParseRole(mlir::AsmParser& parser, Role* role) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseEqual() || parser.parseKeyword(&word)) {
    return mlir::failure();
  }
  std::optional<Role> parsed = symbolizeRole(word);
  if (!parsed) {
    return parser.emitError(loc)
           << "role is " << word << "; expected block, embedding or head";
  }
  *role = *parsed;
  return mlir::success();
}

// `= {h20 = <f_ns = 1>}`
mlir::ParseResult ParseTimesOn(mlir::AsmParser& parser,
                               mlir::NamedAttrList* on) {
  if (parser.parseEqual()) return mlir::failure();
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Braces, [&]() -> mlir::ParseResult {
        const llvm::SMLoc loc = parser.getCurrentLocation();
        std::string kind;
        if (parser.parseKeywordOrString(&kind) || parser.parseEqual()) {
          return mlir::failure();
        }
        if (on->get(kind)) {
          return parser.emitError(loc)
                 << "device kind \"" << kind << "\" stands twice";
        }
        mlir::Attribute times = TimesAttr::parse(parser, {});
        if (!times) return mlir::failure();
        on->append(kind, times);
        return mlir::success();
      });
}

void PrintQuantity(mlir::AsmPrinter& printer, llvm::StringRef key,
                   int64_t value, bool* first) {
  if (value == 0) return;
  if (!*first) printer << ", ";
  *first = false;
  printer << key << " = " << value;
}

}  // namespace

mlir::Attribute TimesAttr::parse(mlir::AsmParser& parser, mlir::Type type) {
  const llvm::SMLoc start = parser.getCurrentLocation();
  QuantityParser<kTimeKeys.size()> times(parser, kTimeKeys);
  auto parse_entry = [&]() -> mlir::ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef key;
    if (parser.parseKeyword(&key)) return mlir::failure();
    mlir::OptionalParseResult result = times.Parse(loc, key);
    if (result.has_value()) return *result;
    return parser.emitError(loc) << "unknown key " << key << "; times know "
                                 << llvm::join(kTimeKeys, ", ");
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater,
                                     parse_entry)) {
    return {};
  }
  return parser.getChecked<TimesAttr>(start, parser.getContext(), times[0],
                                      times[1], times[2]);
}

void TimesAttr::print(mlir::AsmPrinter& printer) const {
  bool first = true;
  printer << "<";
  PrintQuantity(printer, kTimeKeys[0], getFNs(), &first);
  PrintQuantity(printer, kTimeKeys[1], getBNs(), &first);
  PrintQuantity(printer, kTimeKeys[2], getWNs(), &first);
  printer << ">";
}

mlir::Attribute ProfileAttr::parse(mlir::AsmParser& parser, mlir::Type type) {
  const llvm::SMLoc start = parser.getCurrentLocation();
  QuantityParser<kProfileKeys.size()> quantities(parser, kProfileKeys);
  std::string kind;
  bool unsplittable = false;
  std::optional<Role> role;
  std::optional<mlir::NamedAttrList> on;
  auto parse_entry = [&]() -> mlir::ParseResult {
    const llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef key;
    if (parser.parseKeyword(&key)) return mlir::failure();
    mlir::OptionalParseResult result = quantities.Parse(loc, key);
    if (result.has_value()) return *result;
    if (key == "unsplittable") {
      if (unsplittable) return quantities.Repeated(loc, key);
      unsplittable = true;
      return mlir::success();
    }
    if (key == "role") {
      if (role) return quantities.Repeated(loc, key);
      return ParseRole(parser, &role.emplace());
    }
    if (key == "on") {
      if (on) return quantities.Repeated(loc, key);
      return ParseTimesOn(parser, &on.emplace());
    }
    return parser.emitError(loc)
           << "unknown key " << key << "; a profile knows "
           << llvm::join(kProfileKeys, ", ") << ", unsplittable, role, on";
  };
  if (parser.parseLess() || parser.parseString(&kind)) return {};
  while (mlir::succeeded(parser.parseOptionalComma())) {
    if (parse_entry()) return {};
  }
  if (parser.parseGreater()) return {};
  mlir::MLIRContext* context = parser.getContext();
  return parser.getChecked<ProfileAttr>(
      start, context, llvm::StringRef(kind), quantities[0], quantities[1],
      quantities[2], quantities[3], quantities[4], quantities[5], quantities[6],
      quantities[7], quantities[8], quantities[9], unsplittable,
      role.value_or(Role::kBlock),
      on ? on->getDictionary(context) : mlir::DictionaryAttr::get(context));
}

void ProfileAttr::print(mlir::AsmPrinter& printer) const {
  const std::array<int64_t, kProfileKeys.size()> values = {
      getFNs(),
      getBNs(),
      getWNs(),
      getParamBytes(),
      getGradBytes(),
      getOptimizerBytes(),
      getSavedBBytes(),
      getSavedWBytes(),
      getFWorkspaceBytes(),
      getBWorkspaceBytes()};
  bool first = false;
  printer << "<";
  printer.printString(getKind());
  for (size_t i = 0; i < values.size(); ++i) {
    PrintQuantity(printer, kProfileKeys[i], values[i], &first);
  }
  if (getUnsplittable()) printer << ", unsplittable";
  if (getRole() != Role::kBlock) {
    printer << ", role = " << stringifyRole(getRole());
  }
  if (!getOn().empty()) {
    printer << ", on = {";
    llvm::interleaveComma(
        getOn(), printer.getStream(), [&](mlir::NamedAttribute entry) {
          printer.printKeywordOrString(entry.getName());
          printer << " = ";
          llvm::cast<TimesAttr>(entry.getValue()).print(printer);
        });
    printer << "}";
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

mlir::ParseResult parseInt(mlir::OpAsmParser& parser, mlir::IntegerAttr& value,
                           llvm::StringRef key) {
  int64_t parsed = 0;
  if (ParseQuantity(parser, key, &parsed)) return mlir::failure();
  value = parser.getBuilder().getI64IntegerAttr(parsed);
  return mlir::success();
}

void printInt(mlir::OpAsmPrinter& printer, mlir::Operation* op,
              mlir::IntegerAttr value, llvm::StringRef key) {
  printer << value.getInt();
}

mlir::ParseResult parseMemoryBytes(mlir::OpAsmParser& parser,
                                   mlir::IntegerAttr& value) {
  return parseInt(parser, value, "memory_bytes");
}

void printMemoryBytes(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      mlir::IntegerAttr value) {
  printInt(printer, op, value, "memory_bytes");
}

mlir::ParseResult parseSpeedPermille(mlir::OpAsmParser& parser,
                                     mlir::IntegerAttr& value) {
  return parseInt(parser, value, "speed_permille");
}

void printSpeedPermille(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                        mlir::IntegerAttr value) {
  printInt(printer, op, value, "speed_permille");
}

mlir::ParseResult parseLaunchOverheadNs(mlir::OpAsmParser& parser,
                                        mlir::IntegerAttr& value) {
  return parseInt(parser, value, "launch_overhead_ns");
}

void printLaunchOverheadNs(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::IntegerAttr value) {
  printInt(printer, op, value, "launch_overhead_ns");
}

mlir::ParseResult parseTokens(mlir::OpAsmParser& parser,
                              mlir::IntegerAttr& value) {
  return parseInt(parser, value, "tokens");
}

void printTokens(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                 mlir::IntegerAttr value) {
  printInt(printer, op, value, "tokens");
}

mlir::ParseResult parseProfile(mlir::OpAsmParser& parser,
                               ProfileAttr& profile) {
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (llvm::StringRef(loc.getPointer()).starts_with("#pipeline.profile<")) {
    return parser.emitError(loc) << "expected a profile as an alias or as "
                                    "<\"kind\", ...>, without its name";
  }
  return parser.parseCustomAttributeWithFallback(profile);
}

void printProfile(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                  ProfileAttr profile) {
  printer.printStrippedAttrOrType(profile);
}

mlir::ParseResult parseStageSignature(
    mlir::OpAsmParser& parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& inputs,
    llvm::SmallVectorImpl<mlir::Type>& input_types,
    llvm::SmallVectorImpl<mlir::Type>& output_types, mlir::Region& body) {
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  auto parse_binding = [&]() -> mlir::ParseResult {
    mlir::OpAsmParser::Argument& argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) ||
        parser.parseColonType(argument.type)) {
      return mlir::failure();
    }
    input_types.push_back(argument.type);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::OpAsmParser::Delimiter::Paren,
                                     parse_binding) ||
      parser.parseOptionalArrowTypeList(output_types)) {
    return mlir::failure();
  }
  return parser.parseRegion(body, arguments);
}

void printStageSignature(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                         mlir::OperandRange inputs, mlir::TypeRange input_types,
                         mlir::TypeRange output_types, mlir::Region& body) {
  printer << "(";
  llvm::interleaveComma(llvm::zip_equal(body.getArguments(), inputs),
                        printer.getStream(), [&](auto binding) {
                          auto [argument, input] = binding;
                          printer.printRegionArgument(argument, {},
                                                      /*omitType=*/true);
                          printer << " = " << input << " : " << input.getType();
                        });
  printer << ")";
  printer.printOptionalArrowTypeList(output_types);
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

}  // namespace octopipe::pipeline
