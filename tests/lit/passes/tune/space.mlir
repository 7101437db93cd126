// RUN: octopipe-opt %s --pipeline-tune="evaluations=300 pin-stage=a..b pin-device=head=gpu0" | FileCheck %s
// RUN: octopipe-opt %s --pipeline-tune="evaluations=300 target=deepspeed boundaries=1" | FileCheck %s --check-prefix=TARGET
// RUN: octopipe-opt %s --pipeline-tune="evaluations=300 no-split=0..2" | FileCheck %s --check-prefix=WHOLE
// RUN: not octopipe-opt %s --pipeline-tune="evaluations=300 pin-device=a=gpu0,0=gpu1" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not octopipe-opt %s --pipeline-tune="evaluations=300 boundaries=2,1" 2>&1 | FileCheck %s --check-prefix=CUT

// CHECK: pipeline.stage 0 on @gpu1
// CHECK: pipeline.layer "a"
// CHECK: pipeline.layer "b"
// CHECK: pipeline.stage 1 on @gpu0
// CHECK: pipeline.layer "head"
// TARGET: pipeline.schedule @m_plan of @m policy "tune target=deepspeed evaluations=
// WHOLE-NOT: {{[[ ]W[0-9]}}
// TWICE: space.mlir:{{[0-9]+}}:{{[0-9]+}}: error: layer 'a' is pinned to 'gpu0' and to 'gpu1'
// CUT: space.mlir:{{[0-9]+}}:{{[0-9]+}}: error: stage 1 begins at layer 2 and ends before layer 1

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
