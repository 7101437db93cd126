// RUN: octopipe-opt %s --pipeline-partition="num-stages=3 objective=even" | FileCheck %s --check-prefix=EVEN
// RUN: octopipe-opt %s --pipeline-partition="num-stages=2 objective=min-max" | FileCheck %s --check-prefix=MINMAX
// RUN: octopipe-opt %s --pipeline-partition="num-stages=2 objective=min-variance" | FileCheck %s --check-prefix=MINMAX
// RUN: octopipe-opt %s --pipeline-partition="objective=given boundaries=1,2,4" | FileCheck %s --check-prefix=GIVEN
// RUN: not octopipe-opt %s --pipeline-partition="objective=best" 2>&1 | FileCheck %s --check-prefix=WRONG

// The embedding goes with the first block and the head with the last.
// EVEN: stage 0
// EVEN-NEXT: "embed"
// EVEN-NEXT: "a"
// EVEN: stage 1
// EVEN-NEXT: "b"
// EVEN: stage 2
// EVEN-NEXT: "c"
// EVEN-NEXT: "head"
// EVEN-NOT: stage 3

// 610 | 700.
// MINMAX: stage 0
// MINMAX-NEXT: "embed"
// MINMAX-NEXT: "a"
// MINMAX-NEXT: "b"
// MINMAX: stage 1
// MINMAX-NEXT: "c"
// MINMAX-NEXT: "head"

// GIVEN: stage 0
// GIVEN-NEXT: "embed"
// GIVEN: stage 1
// GIVEN-NEXT: "a"
// GIVEN: stage 2
// GIVEN-NEXT: "b"
// GIVEN-NEXT: "c"
// GIVEN: stage 3
// GIVEN-NEXT: "head"

// WRONG: best

#embed = #pipeline.profile<"embed", role = embedding, f_ns = 10>
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
#head = #pipeline.profile<"head", role = head, f_ns = 200, b_ns = 200>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 4 {
  %0 = pipeline.layer "embed"() #embed : () -> tensor<8xbf16>
  %1 = pipeline.layer "a"(%0) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  %2 = pipeline.layer "b"(%1) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  %3 = pipeline.layer "c"(%2) #block : (tensor<8xbf16>) -> tensor<8xbf16>
  pipeline.layer "head"(%3) #head : (tensor<8xbf16>) -> ()
  pipeline.yield
}
