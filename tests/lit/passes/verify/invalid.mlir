// RUN: octopipe-opt %s --pipeline-verify -split-input-file -verify-diagnostics

// Each device's order is right by itself; together they wait for each other.

#block = #pipeline.profile<"block", f_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
  pipeline.device @gpu1 kind "h100"
}
pipeline.model @m on @node micro_batches 2 {
  %s0 = pipeline.stage 0 on @gpu0 () -> tensor<8xbf16> {
    %0 = pipeline.layer "a"() #block : () -> tensor<8xbf16>
    pipeline.yield %0 : tensor<8xbf16>
  }
  pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<8xbf16>) {
    pipeline.layer "b"(%in) #block : (tensor<8xbf16>) -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @deadlock of @m {
  // expected-error @+1 {{waits}}
  pipeline.program @gpu0 [F0.0, BW0.0, F0.1, BW0.1]
  pipeline.program @gpu1 [F1.1, BW1.1, F1.0, BW1.0]
}

// -----

// Two micro-batches at once need 200 bytes.

#block = #pipeline.profile<"block", f_ns = 100, saved_w_bytes = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 199
}
pipeline.model @m on @node micro_batches 2 {
  pipeline.stage 0 on @gpu0 () {
    pipeline.layer "a"() #block : () -> ()
    pipeline.yield
  }
  pipeline.yield
}
pipeline.schedule @memory of @m {
  // expected-error @+1 {{199 bytes}}
  pipeline.program @gpu0 [F0.0, F0.1, BW0.0, BW0.1]
}
