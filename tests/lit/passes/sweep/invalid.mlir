// RUN: not octopipe-opt %s --pipeline-sweep="objective=best" 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not octopipe-opt %s --pipeline-sweep="strategy=w" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not octopipe-opt %s --pipeline-sweep="policy=2f2b" 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not octopipe-opt %s --pipeline-sweep="num-stages=4" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not octopipe-opt %s --pipeline-plan --pipeline-plan 2>&1 | FileCheck %s --check-prefix=TWICE

// OBJECTIVE: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: unknown objective 'best'; expected one of even, min-max, min-variance, given
// STRATEGY: error: unknown strategy 'w'; expected one of loop, v, balanced, given
// POLICY: error: unknown policy '2f2b'
// STAGES: error: {{.*}}4 stages
// TWICE: error: model @m is scheduled, expected graph; take it back with pipeline-strip-plan{to=graph}

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
