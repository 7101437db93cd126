// RUN: octopipe-opt %s --pipeline-verify | octopipe-opt --pipeline-verify="phase=scheduled" | FileCheck %s
// RUN: not octopipe-opt %s --pipeline-verify="phase=placed" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: octopipe-opt %s --pipeline-strip-plan="to=placed" --pipeline-verify="phase=placed" --pipeline-strip-plan="to=partitioned" --pipeline-verify="phase=partitioned" --pipeline-strip-plan --pipeline-verify="phase=graph" > /dev/null

// CHECK: pipeline.schedule @p
// PHASE: error: model @m is scheduled, expected placed

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
pipeline.schedule @p of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, F2.1, BW2.0, BW2.1, BW0.0, BW0.1]
  pipeline.program @gpu1 [F1.0, F1.1, F3.0, F3.1, BW3.0, BW3.1, BW1.0, BW1.1]
}
