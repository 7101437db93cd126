// RUN: octopipe-opt %s --pipeline-sweep="policy=1f1b num-stages=2 objective=even" | FileCheck %s --check-prefix=FIXED
// RUN: octopipe-opt %s --pipeline-plan | FileCheck %s --check-prefix=PLAN
// RUN: octopipe-opt %s --pipeline-plan | octopipe-opt --pipeline-verify="phase=scheduled" --pipeline-annotate-metrics="check=true" > /dev/null
// RUN: octopipe-opt %s --pipeline-plan --pipeline-strip-plan > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// FIXED: stage 0 on @gpu0
// FIXED-NEXT: "a"
// FIXED: stage 1 on @gpu1
// FIXED-NEXT: "b"
// FIXED-NEXT: "head"
// FIXED: pipeline.schedule @m_plan of @m policy "1f1b" {
// FIXED-NEXT: pipeline.program @gpu0 [F0.0, F0.1, BW0.0, F0.2, BW0.1, F0.3, BW0.2, BW0.3]
// FIXED-NEXT: pipeline.program @gpu1 [F1.0, BW1.0, F1.1, BW1.1, F1.2, BW1.2, F1.3, BW1.3]

// The work of 4 · 1,200 ns on two devices, and no plan without a first forward
// in front of it.
// PLAN: pipeline.schedule @m_plan of @m policy "{{.*}}" metrics <makespan_ns = 2{{[0-9]+}}, bound_ns = 2{{[0-9]+}},

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
