// RUN: octopipe-opt %s --pipeline-annotate-metrics | FileCheck %s
// RUN: octopipe-opt %s --pipeline-annotate-metrics | octopipe-opt --pipeline-annotate-metrics="check=true" | FileCheck %s
// RUN: not octopipe-opt %s --pipeline-annotate-metrics="check=true" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: octopipe-opt %s --pipeline-annotate-metrics | sed 's/makespan_ns = 1/makespan_ns = 2/' | not octopipe-opt --pipeline-annotate-metrics="check=true" 2>&1 | FileCheck %s --check-prefix=OTHER

// By hand: device 0 forwards until 200, waits for F1.0 (200), forwards stage 2
// until 400; device 1 ends F3.1 at 500, BW3.1 at 900; BW2.0 starts at 700, BW2.1
// at 900; BW1.0 at 900, BW1.1 at 1,100; BW0.0 at 1,100 and BW0.1 until 1,500.
// CHECK: pipeline.schedule @p of @m metrics <makespan_ns = 1500, bound_ns = {{[0-9]+}}, bound = "{{[a-z-]+}}", bubble_permille = 200>
// NONE: error: schedule @p has no metrics to check
// OTHER: error: schedule @p says {{.*}}makespan_ns = 2500{{.*}}, the simulator finds {{.*}}makespan_ns = 1500

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
pipeline.schedule @p of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, F2.1, BW2.0, BW2.1, BW0.0, BW0.1]
  pipeline.program @gpu1 [F1.0, F1.1, F3.0, F3.1, BW3.0, BW3.1, BW1.0, BW1.1]
}
