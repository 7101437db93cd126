// RUN: not octopipe-opt %s --pipeline-schedule="policy=2f2b" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not octopipe-opt %s --pipeline-schedule 2>&1 | FileCheck %s --check-prefix=CONSECUTIVE
// RUN: not octopipe-opt %s --pipeline-schedule="policy=zb-v" 2>&1 | FileCheck %s --check-prefix=PLACEMENT
// RUN: not octopipe-opt %s --pipeline-schedule="policy=gpipe split-backward=always" 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not octopipe-opt %s --pipeline-schedule="policy=gpipe" --pipeline-schedule 2>&1 | FileCheck %s --check-prefix=TWICE

// UNKNOWN: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: unknown policy '2f2b'; expected one of gpipe, 1f1b,
// PLACEMENT: error: {{.*}}zb-v
// CONSECUTIVE: error: 1f1b needs consecutive stages on each device
// SPLIT: error: policy gpipe keeps the backward whole, which split-backward=always forbids
// TWICE: error: model @m is scheduled, expected placed; take it back with pipeline-strip-plan{to=placed}

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<8xbf16> {
    %0 = pipeline.layer "a"() #block : () -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = pipeline.layer "b"(%in) #block : (tensor<8xbf16>) -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  %s2 = pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = pipeline.layer "c"(%in) #block : (tensor<8xbf16>) -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  pipeline.stage 3 on @gpu1 (%in = %s2 : tensor<8xbf16>) {
    pipeline.layer "d"(%in) #block : (tensor<8xbf16>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
