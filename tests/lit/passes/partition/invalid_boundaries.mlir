// RUN: not octopipe-opt %s --pipeline-partition="objective=given boundaries=2,1" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not octopipe-opt %s --pipeline-partition="objective=given boundaries=7" 2>&1 | FileCheck %s --check-prefix=RANGE

// ORDER: invalid_boundaries.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}stage 1
// RANGE: invalid_boundaries.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}stage

#block = #pipeline.profile<"block", f_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
}
pipeline.model @m on @node micro_batches 4 {
  %0 = pipeline.layer "a"() #block : () -> tensor<8xbf16>
  %1 = pipeline.layer "b"(%0) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  pipeline.layer "c"(%1) #block : (tensor<8xbf16>) -> ()
  pipeline.yield
}
