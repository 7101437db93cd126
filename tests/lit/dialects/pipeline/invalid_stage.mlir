// RUN: octopipe-opt %s -split-input-file -verify-diagnostics

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  // expected-error@+1 {{stage 2 stands at position 1; expected stages 0 to 1 in order}}
  pipeline.stage 2 () {
    pipeline.layer "b"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{stage -1 stands at position 0; expected stages 0 to 0 in order}}
  pipeline.stage -1 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{index is 9223372036854775808; expected}}
  pipeline.stage 9223372036854775808 () {
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+1 {{stage 0 is on @gpu}}
  pipeline.stage 0 on @gpu () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  // expected-error@+1 {{stage 1 has no device; expected one on every stage or on none}}
  pipeline.stage 1 () {
    pipeline.layer "b"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{stage 0 has no device; expected one on every stage or on none}}
  pipeline.stage 0 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  // expected-note@+1 {{stage 1 is on @gpu}}
  pipeline.stage 1 on @gpu () {
    pipeline.layer "b"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{stage 0 is on the unknown device @gpu2; cluster @c has @gpu0, @gpu1}}
  pipeline.stage 0 on @gpu2 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

// One message for an unknown cluster, none for what stands on it.
// expected-error@+1 {{model @m is on the unknown cluster @c; known: none}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 on @gpu2 () {
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{stage 0 reads from stage 1; expected an earlier stage}}
  pipeline.stage 0 (%in = %s1 : tensor<1xf32>) {
    pipeline.layer "a"(%in) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  // expected-note@+1 {{the producer is here}}
  %s1 = pipeline.stage 1 () -> tensor<1xf32> {
    %0 = pipeline.layer "b"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+2 {{the producer is here}}
  // expected-error@+1 {{stage 0 reads from stage 0; expected an earlier stage}}
  %s0 = pipeline.stage 0 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    %0 = pipeline.layer "a"(%in) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{stage 0 has no layers; expected at least 1}}
  pipeline.stage 0 () {
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 () {
    // expected-error@+1 {{stage 0 holds 'builtin.module'; expected pipeline.layer}}
    builtin.module {}
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %s0 = pipeline.stage 0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<2xf32>
    // expected-error@+1 {{stage 0 yields types 'tensor<2xf32>'; expected 'tensor<1xf32>'}}
    pipeline.yield %0 : tensor<2xf32>
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %s0 = pipeline.stage 0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  %s1 = pipeline.stage 1 (%in = %s0 : tensor<1xf32>) -> tensor<1xf32> {
    pipeline.layer "b"(%in) <"x"> : (tensor<1xf32>) -> ()
    // expected-error@+1 {{stage 1 yields one of its inputs as output 0; expected the output of a layer, and that a later stage reads the input where it is made}}
    pipeline.yield %in : tensor<1xf32>
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %s0 = "pipeline.stage"() <{index = 0 : i64}> ({
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }) : () -> tensor<1xf32>
  // expected-error@+1 {{stage 1 has arguments of types 'tensor<2xf32>'; expected those of its inputs, 'tensor<1xf32>'}}
  "pipeline.stage"(%s0) <{index = 1 : i64}> ({
  ^bb0(%in: tensor<2xf32>):
    pipeline.layer "b"(%in) <"x"> : (tensor<2xf32>) -> ()
    pipeline.yield
  }) : (tensor<1xf32>) -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 () {
    // expected-error@+1 {{layers form a cycle: "a" -> "b" -> "a"}}
    %a = pipeline.layer "a"(%b) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    // expected-note@+1 {{through layer "b"}}
    %b = pipeline.layer "b"(%a) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
    pipeline.yield
  }
  pipeline.yield
}

// -----

// A stage sees nothing but its arguments.
pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %s0 = pipeline.stage 0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-note@+1 {{required by region isolation constraints}}
  pipeline.stage 1 () {
    // expected-error@+1 {{using value defined outside the region}}
    pipeline.layer "b"(%s0) <"x"> : (tensor<1xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

// expected-error@+1 {{expects parent op 'pipeline.model'}}
pipeline.stage 0 () {
  pipeline.yield
}
