// RUN: octopipe-opt %s -split-input-file -verify-diagnostics

pipeline.cluster @c {}
// expected-error@+1 {{model @m: micro_batches is 0; expected at least 1}}
pipeline.model @m on @c micro_batches 0 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
// expected-error@+1 {{model @m: launch_overhead_ns is -1; expected at least 0}}
pipeline.model @m on @c micro_batches 1 launch_overhead_ns -1 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
// expected-error@+1 {{model @m: tokens is -1; expected at least 0}}
pipeline.model @m on @c micro_batches 1 tokens -1 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}

// -----

// expected-error@+1 {{micro_batches is 9223372036854775808; expected -9223372036854775808 to 9223372036854775807}}
pipeline.model @m on @c micro_batches 9223372036854775808 {
  pipeline.yield
}

// -----

// expected-error@+1 {{launch_overhead_ns: expected an integer}}
pipeline.model @m on @c micro_batches 1 launch_overhead_ns "5" {
  pipeline.yield
}

// -----

// expected-error@+1 {{tokens is 9223372036854775808; expected}}
pipeline.model @m on @c micro_batches 1 tokens 9223372036854775808 {
  pipeline.yield
}

// -----

pipeline.cluster @a {}
pipeline.cluster @b {}
// expected-error@+1 {{model @m is on the unknown cluster @c; known: @a, @b}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}

// -----

// A model is not a cluster.
// expected-error@+1 {{model @m is on the unknown cluster @m; known: none}}
pipeline.model @m on @m micro_batches 1 {
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
// expected-error@+1 {{model @m has no layers; expected at least 1}}
pipeline.model @m on @c micro_batches 1 {
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  pipeline.layer "a"() <"x"> : () -> ()
  // expected-error@+1 {{model @m holds 'builtin.module'; expected pipeline.layer or pipeline.stage}}
  builtin.module {}
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
  // expected-error@+1 {{model @m yields 1 values; expected none}}
  pipeline.yield %0 : tensor<1xf32>
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+1 {{the first stage is here}}
  %s0 = pipeline.stage 0 () -> tensor<1xf32> {
    %0 = pipeline.layer "a"() <"x"> : () -> tensor<1xf32>
    pipeline.yield %0 : tensor<1xf32>
  }
  // expected-error@+1 {{model @m has layer "b" beside stages; expected layers alone, or all of them in stages}}
  pipeline.layer "b"(%s0) <"x"> : (tensor<1xf32>) -> ()
  pipeline.yield
}

// -----

// expected-error@+1 {{expects parent op to be one of 'pipeline.model, pipeline.stage'}}
pipeline.layer "b"() <"x"> : () -> ()

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layers form a cycle: "a" -> "b" -> "a"}}
  %a = pipeline.layer "a"(%b) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  // expected-note@+1 {{through layer "b"}}
  %b = pipeline.layer "b"(%a) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layers form a cycle: "a" -> "a"}}
  %a = pipeline.layer "a"(%a) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  pipeline.yield
}

// -----

// The arrows follow the data, and what leads to the cycle is not in it.
pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %in = pipeline.layer "in"() <"x"> : () -> tensor<1xf32>
  // expected-error@+1 {{layers form a cycle: "p" -> "r" -> "q" -> "p"}}
  %p = pipeline.layer "p"(%in, %q) <"x"> : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  // expected-note@+1 {{through layer "q"}}
  %q = pipeline.layer "q"(%r) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  // expected-note@+1 {{through layer "r"}}
  %r = pipeline.layer "r"(%p) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  pipeline.layer "out"(%r) <"x"> : (tensor<1xf32>) -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layer "a" stands before layer "b", whose output it reads; expected it behind}}
  %a = pipeline.layer "a"(%b) <"x"> : (tensor<1xf32>) -> tensor<1xf32>
  // expected-note@+1 {{the producer is here}}
  %b = pipeline.layer "b"() <"x"> : () -> tensor<1xf32>
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+1 {{the first is here}}
  pipeline.layer "a"() <"x"> : () -> ()
  pipeline.layer "b"() <"x"> : () -> ()
  // expected-error@+1 {{second layer named "a"; expected unique names in a model}}
  pipeline.layer "a"() <"y"> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  pipeline.stage 0 () {
    // expected-note@+1 {{the first is here}}
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.stage 1 () {
    // expected-error@+1 {{second layer named "a"; expected unique names in a model}}
    pipeline.layer "a"() <"x"> : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+1 {{that layer is here}}
  pipeline.layer "a"() <"x", param_bytes = 8> shares "wte" : () -> ()
  pipeline.layer "other"() <"x", param_bytes = 9> shares "else" : () -> ()
  // expected-error@+1 {{layer "b" shares "wte" with param_bytes 9; expected 8, as in layer "a"}}
  pipeline.layer "b"() <"x", param_bytes = 9> shares "wte" : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layer "a" has an output of type 'tensor<?x4xf32>'; expected static sizes and a number of bytes below 2^63}}
  %0 = pipeline.layer "a"() <"x"> : () -> tensor<?x4xf32>
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layer "a" has an output of type 'tensor<4294967296x4294967296xf32>'; expected static sizes}}
  %0 = pipeline.layer "a"() <"x"> : () -> tensor<4294967296x4294967296xf32>
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layer "a" has an output of type 'tensor<4xindex>'; expected static sizes}}
  %0 = pipeline.layer "a"() <"x"> : () -> tensor<4xindex>
  pipeline.yield
}

// -----

// 2^60 bytes each: the eighth is over.
pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{layer "a" has an output of type 'tensor<1152921504606846976xi8>'; expected static sizes}}
  %0:8 = pipeline.layer "a"() <"x"> : () -> (tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>, tensor<1152921504606846976xi8>)
  pipeline.yield
}

// -----

pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{result #0 must be variadic of ranked tensor of any type values, but got 'f32'}}
  %0 = pipeline.layer "a"() <"x"> : () -> f32
  pipeline.yield
}

// -----

// 2^60 ns in sum are allowed.
pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 4 {
  pipeline.layer "a"() <"x", f_ns = 144115188075855872> : () -> ()
  pipeline.layer "b"() <"x", b_ns = 72057594037927936, w_ns = 72057594037927936> : () -> ()
  pipeline.yield
}

// -----

// One more is not.
pipeline.cluster @c {}
// expected-error@+1 {{model @m: the durations of all layers and 4 micro-batches are more than 1152921504606846976 in sum}}
pipeline.model @m on @c micro_batches 4 {
  pipeline.layer "a"() <"x", f_ns = 144115188075855872> : () -> ()
  // expected-note@+1 {{the largest is layer "b"}}
  pipeline.layer "b"() <"x", b_ns = 72057594037927936, w_ns = 72057594037927937> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
// expected-error@+1 {{model @m: the durations of all layers and 9223372036854775807 micro-batches are more than 1152921504606846976 in sum}}
pipeline.model @m on @c micro_batches 9223372036854775807 {
  // expected-note@+1 {{the largest is layer "a"}}
  pipeline.layer "a"() <"x", on = {h20 = <f_ns = 9223372036854775807, w_ns = 9223372036854775807>}> : () -> ()
  pipeline.yield
}

// -----

pipeline.cluster @c {}
// expected-error@+1 {{model @m: the bytes of all layers and 1 micro-batches are more than 1152921504606846976 in sum}}
pipeline.model @m on @c micro_batches 1 {
  // expected-note@+1 {{the largest is layer "a"}}
  %0 = pipeline.layer "a"() <"x", param_bytes = 576460752303423489, saved_w_bytes = 576460752303423480> : () -> tensor<4xi8>
  pipeline.yield
}

// -----

// Without a gradient the output counts once: 2^60 in sum.
pipeline.cluster @c {}
pipeline.model @m on @c micro_batches 1 {
  %0 = pipeline.layer "a"() <"x", param_bytes = 576460752303423488, saved_w_bytes = 576460752303423484> no_grad : () -> tensor<4xi8>
  pipeline.yield
}
