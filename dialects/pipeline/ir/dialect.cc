#include "dialects/pipeline/ir/dialect.h"

#include "dialects/pipeline/ir/attrs.h"
#include "dialects/pipeline/ir/bytecode.h"
#include "dialects/pipeline/ir/ops.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/OpImplementation.h"

// clang-format off: the generated code needs the headers above it.
#include "dialects/pipeline/ir/dialect.cc.inc"
// clang-format on

namespace octopipe::pipeline {
namespace {

// Prints `#mamba` for the profile of kind "mamba", so that the aliases at the
// head of a file read as its cost table. MLIR makes the name a valid and unique
// identifier.
struct ProfileAliases : public mlir::OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(mlir::Attribute attr,
                       llvm::raw_ostream& os) const override {
    auto profile = llvm::dyn_cast<ProfileAttr>(attr);
    if (!profile || profile.getKind().empty()) return AliasResult::NoAlias;
    os << profile.getKind();
    return AliasResult::FinalAlias;
  }
};

}  // namespace

void PipelineDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/pipeline/ir/ops.cc.inc"
      >();
  registerAttributes();
  addInterfaces<ProfileAliases>();
  AddBytecodeInterface(*this);
}

}  // namespace octopipe::pipeline
