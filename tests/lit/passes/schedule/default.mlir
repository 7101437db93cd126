// RUN: octopipe-opt %s --pipeline-schedule | FileCheck %s

// CHECK: pipeline.schedule @m_plan of @m policy "1f1b" {
// CHECK-NEXT: pipeline.program @gpu0 [F0.0, BW0.0, F0.1, BW0.1]
// CHECK-NOT: pipeline.program

#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @idle kind "h100"
}
pipeline.model @m on @node micro_batches 2 {
  pipeline.stage 0 on @gpu0 () {
    pipeline.layer "block.0"() #block : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
