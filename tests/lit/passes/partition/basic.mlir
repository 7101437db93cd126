// RUN: octopipe-opt %s --pipeline-partition | FileCheck %s
// RUN: octopipe-opt %s --pipeline-partition --pipeline-strip-plan | octopipe-opt > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// The min-max cut of 100 + 100 | 200, and its inverse.

// CHECK: pipeline.model @m on @node micro_batches 4
// CHECK-NEXT: %[[S0:.*]] = pipeline.stage 0 () -> tensor<8xbf16> {
// CHECK-NEXT:   %[[A:.*]] = pipeline.layer "block.0"() #block
// CHECK-NEXT:   %[[B:.*]] = pipeline.layer "block.1"(%[[A]]) #block
// CHECK-NEXT:   pipeline.yield %[[B]] : tensor<8xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: pipeline.stage 1 (%[[IN:.*]] = %[[S0]] : tensor<8xbf16>) {
// CHECK-NEXT:   pipeline.layer "head"(%[[IN]]) #head
// CHECK-NEXT:   pipeline.yield
// CHECK-NEXT: }
// CHECK-NEXT: pipeline.yield

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
#head = #pipeline.profile<"head", role = head, f_ns = 200, b_ns = 200, w_ns = 200>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 4 {
  %0 = pipeline.layer "block.0"() #block : () -> tensor<8xbf16>
  %1 = pipeline.layer "block.1"(%0) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  pipeline.layer "head"(%1) #head : (tensor<8xbf16>) -> ()
  pipeline.yield
}
