// The text of #pipeline.times and #pipeline.profile.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "dialects/pipeline/ir/assembly_format.h"
#include "dialects/pipeline/ir/attrs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/DialectImplementation.h"

namespace octopipe::pipeline {
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

}  // namespace octopipe::pipeline
