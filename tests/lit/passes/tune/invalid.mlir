// RUN: not octopipe-opt %s --pipeline-tune 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not octopipe-opt %s --pipeline-tune="evaluations=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not octopipe-opt %s --pipeline-plan --pipeline-tune="evaluations=100" 2>&1 | FileCheck %s --check-prefix=TWICE

// NONE: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}evaluations
// NEGATIVE: error: {{.*}}evaluations{{.*}}-1
// TWICE: error: model @m is scheduled, expected graph; take it back with pipeline-strip-plan{to=graph}

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
#head = #pipeline.profile<"head", role = head, f_ns = 200, b_ns = 200, w_ns = 200>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 4 {
  %0 = pipeline.layer "a"() #block : () -> tensor<8xbf16>
  %1 = pipeline.layer "b"(%0) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  pipeline.layer "head"(%1) #head : (tensor<8xbf16>) -> ()
  pipeline.yield
}
