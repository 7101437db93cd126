// RUN: not octopipe-opt %s --pipeline-insert-transfers="slots=0" 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: not octopipe-opt %s --pipeline-insert-transfers="lookahead=-1" 2>&1 | FileCheck %s --check-prefix=LOOKAHEAD
// RUN: not octopipe-opt %s --pipeline-insert-transfers="channels=two" 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not octopipe-opt %s --pipeline-insert-transfers --pipeline-insert-transfers 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not octopipe-opt %s --pipeline-strip-plan="to=placed" --pipeline-insert-transfers 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: not octopipe-opt %s --pipeline-verify="phase=transfers" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not octopipe-opt %s --pipeline-insert-transfers="slots=1 defer-sends=false" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: octopipe-opt %s --pipeline-insert-transfers="slots=1" | octopipe-opt --pipeline-verify="phase=transfers" > /dev/null

// SLOTS: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: slots is 0; expected 1 to 32767
// LOOKAHEAD: error: lookahead is -1; expected at least 0
// CHANNELS: Cannot find option named 'two'
// TWICE: error: model @m is scheduled with transfers, expected scheduled; take it back with pipeline-strip-plan{to=scheduled}
// PLACED: error: model @m is placed, expected scheduled; run pipeline-schedule first
// PHASE: error: model @m is scheduled, expected scheduled with transfers; run pipeline-insert-transfers first

// Micro-batch 1 is read first, but made last.
// FEW: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: device 1 cannot receive what F1.1 reads from device 0: the 1 slot of the channel holds a tensor that is read later or together with it; 2 slots a channel suffice

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
  pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<8xbf16>) {
    pipeline.layer "b"(%in) #block : (tensor<8xbf16>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @p of @m {
  pipeline.program @gpu0 [F0.0, F0.1, BW0.1, BW0.0]
  pipeline.program @gpu1 [F1.1, F1.0, BW1.0, BW1.1]
}
