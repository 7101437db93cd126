#include "dialects/pipeline/ir/assembly_format.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "dialects/pipeline/ir/attrs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"

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
  llvm::interleaveComma(llvm::zip(body.getArguments(), inputs),
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
