// RUN: octopipe-opt %s --pipeline-schedule="policy=gpipe" | FileCheck %s --check-prefix=GPIPE
// RUN: octopipe-opt %s --pipeline-schedule="policy=list split-backward=never" | FileCheck %s --check-prefix=LIST
// RUN: octopipe-opt %s --pipeline-schedule="policy=interleaved-1f1b" | octopipe-opt --pipeline-verify="phase=scheduled" | octopipe-opt --pipeline-strip-plan="to=placed" > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// GPIPE: pipeline.schedule @m_plan of @m policy "gpipe" {
// GPIPE-NEXT: pipeline.program @gpu0 [F0.0, F0.1, F2.0, F2.1, BW2.{{[01]}}, BW2.{{[01]}}, BW0.{{[01]}}, BW0.{{[01]}}]
// GPIPE-NEXT: pipeline.program @gpu1 [F1.0, F1.1, F3.0, F3.1, BW3.{{[01]}}, BW3.{{[01]}}, BW1.{{[01]}}, BW1.{{[01]}}]

// LIST: pipeline.schedule @m_plan of @m policy "list" {
// LIST-NEXT: pipeline.program @gpu0 [F0.0,
// LIST-NOT: {{[[ ]}}B0.

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
