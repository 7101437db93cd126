// RUN: not octopipe-opt %s --pipeline-place="strategy=given map=0,1" 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not octopipe-opt %s --pipeline-place="strategy=given map=0,1,2,0" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not octopipe-opt %s --pipeline-place --pipeline-place 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not octopipe-opt %s --pipeline-strip-plan --pipeline-place 2>&1 | FileCheck %s --check-prefix=EARLY

// SHORT: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: stage 2
// UNKNOWN: error: stage 2 {{.*}}device 2
// TWICE: error: model @m is placed, expected partitioned; take it back with pipeline-strip-plan{to=partitioned}
// EARLY: error: model @m is graph of layers, expected partitioned; run pipeline-partition first

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 2 {
  %s0 = pipeline.stage 0 () -> tensor<8xbf16> {
    %0 = pipeline.layer "a"() #block : () -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  %s1 = pipeline.stage 1 (%in = %s0 : tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = pipeline.layer "b"(%in) #block : (tensor<8xbf16>) -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  %s2 = pipeline.stage 2 (%in = %s1 : tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = pipeline.layer "c"(%in) #block : (tensor<8xbf16>) -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  pipeline.stage 3 (%in = %s2 : tensor<8xbf16>) {
    pipeline.layer "d"(%in) #block : (tensor<8xbf16>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
