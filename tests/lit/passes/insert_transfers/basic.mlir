// RUN: octopipe-opt %s --pipeline-schedule="policy=interleaved-1f1b" > %t.scheduled
// RUN: octopipe-opt %t.scheduled --pipeline-insert-transfers > %t.transfers
// RUN: FileCheck %s < %t.transfers
// RUN: octopipe-opt %t.transfers --pipeline-verify="phase=transfers" --pipeline-annotate-metrics --pipeline-annotate-metrics="check" | FileCheck %s --check-prefix=METRICS
//
// Without its transfers the schedule is what it was.
// RUN: octopipe-opt %t.transfers --pipeline-strip-plan="to=scheduled" | diff %t.scheduled -
// RUN: octopipe-opt %t.transfers --pipeline-strip-plan="to=transfers" | diff %t.transfers -
// RUN: octopipe-opt %t.transfers --pipeline-strip-plan="to=placed" > %t.placed
// RUN: octopipe-opt %s | diff - %t.placed
//
// RUN: octopipe-opt %t.scheduled --pipeline-insert-transfers="slots=1 lookahead=0" | FileCheck %s --check-prefix=LATE
// RUN: octopipe-opt %t.scheduled --pipeline-insert-transfers="channels=kind lookahead=3" | FileCheck %s --check-prefix=KIND
// RUN: octopipe-opt %t.scheduled --pipeline-insert-transfers="group" | FileCheck %s --check-prefix=GROUP

// CHECK: pipeline.schedule @m_plan of @m policy "interleaved-1f1b" transfers <slots = 2> {
// CHECK-NEXT: pipeline.program @gpu0 [F0.0, SF0.0, RF2.0.0, F0.1, SF0.1, RF2.1.1, F2.0, SF2.0, RB2.0.0, F2.1,
// CHECK: pipeline.program @gpu1 [RF1.0.0, RF1.1.1, F1.0, SF1.0, RF3.0.0, F1.1, SF1.1, F3.0, RF3.1.1, BW3.0, SB3.0,

// METRICS: transfers <slots = 2> metrics <makespan_ns = {{[0-9]+}}

// With one slot a tensor is received when the one before has been read; RF2.0
// comes before SF0.1, or both devices would wait.
// LATE: transfers <slots = 1> {
// LATE-NEXT: [F0.0, SF0.0, F0.1, RF2.0.0, SF0.1, F2.0,

// KIND: transfers <slots = 2, channel_per_kind = true> {
// KIND-NEXT: [RF2.0.0, RF2.1.1, F0.0, SF0.0, RB2.0.0,

// GROUP: transfers <slots = 2, group = true> {

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
