// RUN: octopipe-opt %s --pipeline-partition="objective=given boundaries=1,2" | FileCheck %s
// RUN: octopipe-opt %s --pipeline-partition="objective=given boundaries=1,2" --pipeline-strip-plan > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// A tensor that two later stages read is an operand of both, and a result once.

// CHECK: %[[S0:.*]] = pipeline.stage 0 () -> tensor<8xbf16>
// CHECK: %[[S1:.*]] = pipeline.stage 1 (%{{.*}} = %[[S0]] : tensor<8xbf16>) -> tensor<4xbf16>
// CHECK: pipeline.stage 2 (%{{.*}} = %[[S1]] : tensor<4xbf16>, %{{.*}} = %[[S0]] : tensor<8xbf16>)

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
}
pipeline.model @m on @node micro_batches 4 {
  %0 = pipeline.layer "down"() #block : () -> tensor<8xbf16>
  %1 = pipeline.layer "middle"(%0) #block : (tensor<8xbf16>) -> tensor<4xbf16>
  pipeline.layer "up"(%1, %0) #block : (tensor<4xbf16>, tensor<8xbf16>) -> ()
  pipeline.yield
}
