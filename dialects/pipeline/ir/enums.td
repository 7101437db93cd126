#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_ENUMS_TD_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_ENUMS_TD_

include "mlir/IR/EnumAttr.td"

def Pipeline_Role : I32Enum<"Role", "Where a layer stands in the model.", [
    I32EnumCase<"kBlock", 0, "block">,
    I32EnumCase<"kEmbedding", 1, "embedding">,
    I32EnumCase<"kHead", 2, "head">,
  ]> {
  let cppNamespace = "::octopipe::pipeline";
}

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_ENUMS_TD_
