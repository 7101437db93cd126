// MLIR's own clean-ups leave a plan as it is: layers without a use do work, and
// two layers of equal costs are two layers.
//
// RUN: octopipe-opt %s > %t.plain
// RUN: octopipe-opt %s -canonicalize -cse | diff %t.plain -

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<1xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "b"() <"x"> : () -> tensor<1xf32>
    %2 = pipeline.layer "unused"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<1xf32>
  }
  pipeline.stage 1 on @gpu (%x = %s0#0 : tensor<1xf32>, %y = %s0#0 : tensor<1xf32>) {
    pipeline.layer "c"(%x, %y) <"x"> : (tensor<1xf32>, tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu [F0.0, F1.0, BW1.0, BW0.0]
}
pipeline.schedule @empty_twin of @m {
  pipeline.program @gpu [F0.0, F1.0, BW1.0, BW0.0]
}
