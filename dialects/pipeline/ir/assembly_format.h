// Parts of the text that operations and attributes share, and the directives
// custom<Int>, custom<ItemList> and custom<StageSignature> of ops.td.

#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_ASSEMBLY_FORMAT_H_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_ASSEMBLY_FORMAT_H_

#include <cstdint>

#include "dialects/pipeline/ir/attrs.h"
#include "mlir/IR/OpImplementation.h"

namespace octopipe::pipeline {

// A 64-bit integer. `key` is what the messages call it.
mlir::ParseResult ParseQuantity(mlir::AsmParser& parser, llvm::StringRef key,
                                int64_t* value);

// `[F0.0, F0.1]`, 16 items a line.
mlir::ParseResult ParseItems(mlir::AsmParser& parser,
                             llvm::SmallVectorImpl<WorkItem>& items);
void PrintItems(mlir::AsmPrinter& printer, llvm::ArrayRef<WorkItem> items);

mlir::ParseResult parseInt(mlir::OpAsmParser& parser, mlir::IntegerAttr& value,
                           llvm::StringRef key);
void printInt(mlir::OpAsmPrinter& printer, mlir::Operation* op,
              mlir::IntegerAttr value, llvm::StringRef key);

// custom<Int> for use in an optional group, which takes no literal argument.
mlir::ParseResult parseMemoryBytes(mlir::OpAsmParser& parser,
                                   mlir::IntegerAttr& value);
mlir::ParseResult parseSpeedPermille(mlir::OpAsmParser& parser,
                                     mlir::IntegerAttr& value);
mlir::ParseResult parseLaunchOverheadNs(mlir::OpAsmParser& parser,
                                        mlir::IntegerAttr& value);
mlir::ParseResult parseTokens(mlir::OpAsmParser& parser,
                              mlir::IntegerAttr& value);

void printMemoryBytes(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                      mlir::IntegerAttr value);
void printSpeedPermille(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                        mlir::IntegerAttr value);
void printLaunchOverheadNs(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                           mlir::IntegerAttr value);
void printTokens(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                 mlir::IntegerAttr value);

// An alias, `#mamba`, or the parameters alone, `<"mamba", f_ns = 1>`: behind
// the full form MLIR would take the `:` of the types for one of its own.
mlir::ParseResult parseProfile(mlir::OpAsmParser& parser, ProfileAttr& profile);
void printProfile(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                  ProfileAttr profile);

mlir::ParseResult parseItemList(mlir::OpAsmParser& parser, ItemsAttr& items);
void printItemList(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                   ItemsAttr items);

// `(%in = %s0 : !h) -> !h { … }`: operands and the names that they have inside.
mlir::ParseResult parseStageSignature(
    mlir::OpAsmParser& parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>& inputs,
    llvm::SmallVectorImpl<mlir::Type>& input_types,
    llvm::SmallVectorImpl<mlir::Type>& output_types, mlir::Region& body);
void printStageSignature(mlir::OpAsmPrinter& printer, mlir::Operation* op,
                         mlir::OperandRange inputs, mlir::TypeRange input_types,
                         mlir::TypeRange output_types, mlir::Region& body);

}  // namespace octopipe::pipeline

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_ASSEMBLY_FORMAT_H_
