// RUN: octopipe-opt %s --pipeline-place | FileCheck %s --check-prefix=LOOP
// RUN: octopipe-opt %s --pipeline-place="strategy=v" | FileCheck %s --check-prefix=WAVE
// RUN: octopipe-opt %s --pipeline-place="strategy=given map=1,1,1,0" | FileCheck %s --check-prefix=GIVEN
// RUN: octopipe-opt %s --pipeline-place --pipeline-strip-plan="to=partitioned" > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// LOOP: stage 0 on @gpu0
// LOOP: stage 1 on @gpu1
// LOOP: stage 2 on @gpu0
// LOOP: stage 3 on @gpu1

// WAVE: stage 0 on @gpu0
// WAVE: stage 1 on @gpu1
// WAVE: stage 2 on @gpu1
// WAVE: stage 3 on @gpu0

// GIVEN: stage 0 on @gpu1
// GIVEN: stage 1 on @gpu1
// GIVEN: stage 2 on @gpu1
// GIVEN: stage 3 on @gpu0

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
