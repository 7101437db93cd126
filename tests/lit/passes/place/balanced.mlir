// RUN: octopipe-opt %s --pipeline-place="strategy=balanced" | FileCheck %s

// 600 beside 300 + 300 is the only even split of the work.

// CHECK: stage 0 on @[[A:.*]] (
// CHECK: stage 1 on @[[B:.*]] (
// CHECK: stage 2 on @[[B]] (

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
#long = #pipeline.profile<"long", f_ns = 200, b_ns = 200, w_ns = 200>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 2 {
  %s0 = pipeline.stage 0 () -> tensor<8xbf16> {
    %0 = pipeline.layer "a"() #long : () -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  %s1 = pipeline.stage 1 (%in = %s0 : tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = pipeline.layer "b"(%in) #block : (tensor<8xbf16>) -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  pipeline.stage 2 (%in = %s1 : tensor<8xbf16>) {
    pipeline.layer "c"(%in) #block : (tensor<8xbf16>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
