// RUN: octopipe-opt %s --pipeline-tune="evaluations=500 threads=1" > %t.one
// RUN: octopipe-opt %s --pipeline-tune="evaluations=500 threads=2" > %t.two
// RUN: diff %t.one %t.two
// RUN: octopipe-opt %t.one --pipeline-verify="phase=scheduled" --pipeline-annotate-metrics | FileCheck %s
// RUN: octopipe-opt %t.one --pipeline-strip-plan > %t.stripped
// RUN: octopipe-opt %s | diff - %t.stripped

// The policy says how to make the plan again.
// CHECK: pipeline.schedule @m_plan of @m policy "tune evaluations={{[0-9]+}} seed=0" metrics <makespan_ns = 2{{[0-9]+}}, bound_ns = 2{{[0-9]+}},

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
