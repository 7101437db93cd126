// RUN: octopipe-opt %s -split-input-file -verify-diagnostics

pipeline.cluster @c {
  // expected-error@+1 {{device @gpu: memory_bytes is 0; expected at least 1}}
  pipeline.device @gpu kind "h100" memory_bytes 0
}

// -----

pipeline.cluster @c {
  // expected-error@+1 {{memory_bytes is 9223372036854775808; expected -9223372036854775808 to 9223372036854775807}}
  pipeline.device @gpu kind "h100" memory_bytes 9223372036854775808
}

// -----

pipeline.cluster @c {
  // expected-error@+1 {{speed_permille: expected an integer}}
  pipeline.device @gpu kind "h100" speed_permille fast
}

// -----

pipeline.cluster @c {
  // expected-error@+1 {{device @gpu: speed_permille is 0; expected at least 1}}
  pipeline.device @gpu kind "h100" speed_permille 0
}

// -----

pipeline.cluster @c {
  // expected-note@+1 {{see existing symbol definition here}}
  pipeline.device @gpu kind "h100"
  // expected-error@+1 {{redefinition of symbol named 'gpu'}}
  pipeline.device @gpu kind "h20"
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
  // expected-error@+1 {{link from @gpu to itself; expected two devices}}
  pipeline.link @gpu to @gpu latency_ns 0 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
  // expected-error@+1 {{link from @gpu0 to @gpu1: latency_ns is -1; expected at least 0}}
  pipeline.link @gpu0 to @gpu1 latency_ns -1 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
  // expected-error@+1 {{link from @gpu0 to @gpu1: bytes_per_us is -1; expected at least 0}}
  pipeline.link @gpu0 to @gpu1 latency_ns 0 bytes_per_us -1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  // expected-error@+1 {{latency_ns is 99999999999999999999; expected -9223372036854775808 to 9223372036854775807}}
  pipeline.link @gpu0 to @gpu1 latency_ns 99999999999999999999 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
  // expected-error@+1 {{link names the unknown device @gpu2; cluster @c has @gpu0, @gpu1}}
  pipeline.link @gpu0 to @gpu2 latency_ns 0 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  // expected-error@+1 {{link names the unknown device @gpu0; cluster @c has none}}
  pipeline.link @gpu0 to @gpu1 latency_ns 0 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @d0 kind "x"
  pipeline.device @d1 kind "x"
  pipeline.device @d2 kind "x"
  pipeline.device @d3 kind "x"
  pipeline.device @d4 kind "x"
  pipeline.device @d5 kind "x"
  pipeline.device @d6 kind "x"
  pipeline.device @d7 kind "x"
  pipeline.device @d8 kind "x"
  // expected-error@+1 {{cluster @c has @d0, @d1, @d2, @d3, @d4, @d5, @d6, @d7, ... (9 in all)}}
  pipeline.link @d9 to @d1 latency_ns 0 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
  // expected-note@+1 {{the first is here}}
  pipeline.link @gpu0 to @gpu1 latency_ns 0 bytes_per_us 1
  pipeline.link @gpu1 to @gpu0 latency_ns 0 bytes_per_us 1
  // expected-error@+1 {{second link from @gpu0 to @gpu1; expected one per ordered pair}}
  pipeline.link @gpu0 to @gpu1 latency_ns 5 bytes_per_us 1
}

// -----

pipeline.cluster @c {
  pipeline.device @gpu0 kind "h100"
  // expected-error@+1 {{cluster @c holds 'builtin.module'; expected pipeline.device or pipeline.link}}
  builtin.module {}
}

// -----

// expected-error@+1 {{expects parent op 'pipeline.cluster'}}
pipeline.device @gpu0 kind "h100"

// -----

// expected-error@+1 {{expects parent op 'pipeline.cluster'}}
pipeline.link @gpu0 to @gpu1 latency_ns 0 bytes_per_us 1
