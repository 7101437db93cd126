// One defect of a schedule a block, and a few that have none.
//
// RUN: octopipe-opt %s -split-input-file -verify-diagnostics

// Nothing is wrong with this one; the blocks below break it.
pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

// expected-error@+1 {{schedule @plan is of the unknown model @m; known: none}}
pipeline.schedule @plan of @m {}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{schedule @plan holds 'builtin.module'; expected pipeline.program}}
  builtin.module {}
}

// -----

// expected-error@+1 {{expects parent op 'pipeline.schedule'}}
pipeline.program @gpu0 [F0.0]

// -----

// One message for an unknown cluster, none for what stands on it.
// expected-error@+1 {{model @m is on the unknown cluster @c; known: none}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 on @gpu () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu []
}

// -----

pipeline.cluster @c {}
// expected-note@+1 {{the model is here}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}
// expected-error@+1 {{schedule @plan is of model @m, which has no stages; expected every layer in a stage and every stage on a device}}
pipeline.schedule @plan of @m {}

// -----

pipeline.cluster @c {}
// expected-note@+1 {{the model is here}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
// expected-error@+1 {{schedule @plan is of model @m, which has stages without a device; expected every layer in a stage and every stage on a device}}
pipeline.schedule @plan of @m {}

// -----

// 2^25 + 1 micro-batches, of two items each at least.
pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 33554433 {
  pipeline.stage 0 on @gpu () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
// expected-error@+1 {{schedule @plan has 1 stages and 33554433 micro-batches; expected at most 67108864 items, two for each stage and micro-batch}}
pipeline.schedule @plan of @m {
  pipeline.program @gpu []
}

// -----

// As many as are allowed: only the items are missing.
pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 33554432 {
  // expected-note@+1 {{the stage is here}}
  pipeline.stage 0 on @gpu () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{no item F0.0 in the program of @gpu, which holds stage 0; missing in all: 67108864}}
  pipeline.program @gpu []
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{program of the unknown device @gpu2; cluster @c has @gpu0, @gpu1}}
  pipeline.program @gpu2 []
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-note@+1 {{the first is here}}
  pipeline.program @gpu0 [F0.0]
  // expected-error@+1 {{second program of @gpu0; expected one per device}}
  pipeline.program @gpu0 [F0.1]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 1 (F3.0) names stage 3; expected 0 to 2}}
  pipeline.program @gpu0 [F0.0, F3.0]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 1 (F0.2) names micro-batch 2; expected 0 to 1}}
  pipeline.program @gpu0 [F0.0, F0.2]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

// Transfers as well.
pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m transfers <slots = 2> {
  // expected-error@+1 {{item 1 (SF3.0) names stage 3; expected 0 to 2}}
  pipeline.program @gpu0 [F0.0, SF3.0]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m transfers <slots = 2> {
  // expected-error@+1 {{item 2 (RF2.2.1) names micro-batch 2; expected 0 to 1}}
  pipeline.program @gpu0 [F0.0, SF0.0, RF2.2.1]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 1 (F1.0) is on @gpu0; expected it on @gpu1, which holds stage 1}}
  pipeline.program @gpu0 [F0.0, F1.0]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

// A send stands where the producer is, a receive where the consumer is.
pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  // expected-note@+1 {{the stage is here}}
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 1 (SF0.0) is on @gpu1; expected it on @gpu0, which holds stage 0}}
  pipeline.program @gpu1 [F1.0, SF0.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m transfers <slots = 2> {
  // expected-error@+1 {{item 1 (RB1.0) is on @gpu0; expected it on @gpu1, which holds stage 1}}
  pipeline.program @gpu0 [F0.0, RB1.0]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 2 (F0.0) stands twice, first as item 0; expected it once}}
  pipeline.program @gpu0 [F0.0, F0.1, F0.0]
  pipeline.program @gpu1 [F1.0, F1.1, B1.0, BW1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 4 (W1.0) stands twice, first as item 2; expected it once}}
  pipeline.program @gpu1 [F1.0, B1.0, W1.0, F1.1, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 2 (BW1.0) stands beside B1.0; expected the backward pass of a stage and micro-batch whole (BW) or split (B and W)}}
  pipeline.program @gpu1 [F1.0, B1.0, BW1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 2 (B1.0) stands beside BW1.0; expected the backward pass of a stage and micro-batch whole (BW) or split (B and W)}}
  pipeline.program @gpu1 [F1.0, BW1.0, B1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 2 (W1.0) stands beside BW1.0; expected the backward pass of a stage and micro-batch whole (BW) or split (B and W)}}
  pipeline.program @gpu1 [F1.0, BW1.0, W1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 0 (B1.0) reads the result of F1.0; expected that before it in the program of @gpu1}}
  pipeline.program @gpu1 [B1.0, F1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 0 (BW1.0) reads the result of F1.0; expected that before it in the program of @gpu1}}
  pipeline.program @gpu1 [BW1.0, F1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{item 1 (W1.0) reads the result of B1.0; expected that before it in the program of @gpu1}}
  pipeline.program @gpu1 [F1.0, W1.0, B1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{no item BW1.1, whole or split, in the program of @gpu1, which holds stage 1; missing in all: 1}}
  pipeline.program @gpu1 [F1.0, F1.1, BW1.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{no item W1.1 in the program of @gpu1, which holds stage 1; missing in all: 1}}
  pipeline.program @gpu1 [F1.0, F1.1, BW1.0, B1.1]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
  // expected-error@+1 {{no item F1.1 in the program of @gpu1, which holds stage 1; missing in all: 2}}
  pipeline.program @gpu1 [F1.0, BW1.0, SF1.1]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{the stage is here}}
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
// expected-error@+1 {{no item F1.0 in the program of @gpu1, which holds stage 1; missing in all: 4}}
pipeline.schedule @plan of @m {
  pipeline.program @gpu0 [F0.0, F0.1, F2.0, B2.0, W2.0, F2.1, BW2.1, BW0.0, BW0.1]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 2 {
  // expected-note@+1 {{the stage is here}}
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
// expected-error@+1 {{no item F0.0 in the program of @gpu0, which holds stage 0; missing in all: 12}}
pipeline.schedule @plan of @m {}

// -----

// Stage 0 reads no gradient of stage 2: what it sent there needs none.
pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu [F0.0, F1.0, F2.0, BW1.0, BW0.0, BW2.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 0 (F1.0) reads the result of F0.0; expected that before it in the program of @gpu}}
  pipeline.program @gpu [F1.0, F0.0]
}

// -----

// Forward data is read with and without a gradient.
pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 0 (F2.0) reads the result of F0.0; expected that before it in the program of @gpu}}
  pipeline.program @gpu [F2.0, F0.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 2 (BW0.0) reads the result of BW1.0 or B1.0; expected that before it in the program of @gpu}}
  pipeline.program @gpu [F0.0, F1.0, BW0.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  // expected-error@+1 {{item 2 (B0.0) reads the result of BW1.0 or B1.0; expected that before it in the program of @gpu}}
  pipeline.program @gpu [F0.0, F1.0, B0.0]
}

// -----

// The gradient of the input is enough.
pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0:2 = pipeline.stage 0 on @gpu () -> (tensor<1xf32>, tensor<2xf32>) {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    %1 = pipeline.layer "frozen"() <"x"> no_grad : () -> tensor<2xf32>
    pipeline.yield %0, %1 : tensor<1xf32>, tensor<2xf32>
  }
  pipeline.stage 1 on @gpu (%in = %s0#0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.stage 2 on @gpu (%in = %s0#1 : tensor<2xf32>) {
    pipeline.layer "c"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m {
  pipeline.program @gpu [F0.0, F1.0, F2.0, B1.0, B0.0, W0.0, W1.0, BW2.0]
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1xf32>) {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @plan of @m policy "1f1b" {
  // expected-error@+1 {{item 1 (SF0.0) is a transfer, but schedule @plan does not say how to read it; expected transfers <slots = …> behind its policy}}
  pipeline.program @gpu0 [F0.0, SF0.0, RB0.0.0, BW0.0]
  pipeline.program @gpu1 [RF1.0.0, F1.0, BW1.0, SB1.0]
}
