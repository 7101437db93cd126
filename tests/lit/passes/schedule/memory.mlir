// RUN: octopipe-opt %s --pipeline-schedule="policy=list memory-limit-bytes=100" | FileCheck %s
// RUN: not octopipe-opt %s --pipeline-schedule="policy=gpipe memory-limit-bytes=100" 2>&1 | FileCheck %s --check-prefix=GPIPE
// RUN: not octopipe-opt %s --pipeline-schedule="policy=list memory-limit-bytes=99" 2>&1 | FileCheck %s --check-prefix=SMALL

// One micro-batch at a time is all that 100 bytes hold.
// CHECK: pipeline.program @gpu0 [F0.0, BW0.0, F0.1, BW0.1, F0.2, BW0.2]
// GPIPE: memory.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}gpu0{{.*}}100 bytes
// SMALL: memory.mlir:{{[0-9]+}}:{{[0-9]+}}: error: one micro-batch alone needs 100 bytes on device 0 {{.*}}1 missing

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100, saved_w_bytes = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
}
pipeline.model @m on @node micro_batches 3 {
  pipeline.stage 0 on @gpu0 () {
    pipeline.layer "a"() #block : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
