// RUN: octopipe-opt %s --pipeline-verify -split-input-file -verify-diagnostics

// Both devices send before they post what the other sends.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 2> {
  // expected-error@+1 {{the devices wait for one another for ever: device 0 waits at item 3 (SF0.1) to send the activation of stage 0, micro-batch 1, to device 1, which waits at item 3 (SB1.0) to send the gradient of stage 1, micro-batch 0, to device 0; post receives earlier, or use more slots}}
  pipeline.program @gpu0 [F0.0, F0.1, SF0.0, SF0.1, RB0.0.0, BW0.0, RB0.1.1, BW0.1]
  pipeline.program @gpu1 [RF1.0.0, F1.0, BW1.0, SB1.0, RF1.1.1, F1.1, BW1.1, SB1.1]
}

// -----

// The same with receives in time.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, SF0.0, RB0.0.0, SF0.1, BW0.0, RB0.1.1, BW0.1]
  pipeline.program @gpu1 [RF1.0.0, F1.0, RF1.1.1, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
}

// -----

// A receive is missing.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, SF0.0, RB0.0.0, SF0.1, BW0.0, RB0.1.1, BW0.1]
  // expected-error@+1 {{device 1 does not receive the activation of stage 0, micro-batch 1, in stage 1}}
  pipeline.program @gpu1 [RF1.0.0, F1.0, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
}

// -----

// Slot 0 still holds what F1.0 reads.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, SF0.0, RB0.0.0, SF0.1, BW0.0, RB0.1.1, BW0.1]
  // expected-error@+1 {{device 1 has RF1.1.0 at item 1, but slot 0 holds the tensor of item 0 (RF1.0.0) until the item that reads it has ended}}
  pipeline.program @gpu1 [RF1.0.0, RF1.1.0, F1.0, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
}

// -----

// There is no slot 1.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 1> {
  pipeline.program @gpu0 [F0.0, F0.1, SF0.0, RB0.0.0, SF0.1, BW0.0, RB0.1.0, BW0.1]
  // expected-error@+2 {{device 1 has RF1.1.1 at item 2; expected a slot from 0 to 0}}
  // expected-error@+1 {{device 1 does not receive the activation of stage 0, micro-batch 1, in stage 1}}
  pipeline.program @gpu1 [RF1.0.0, F1.0, RF1.1.1, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
}

// -----

// The ends of the channel disagree.
#block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
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
pipeline.schedule @p of @m transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, F0.1, SF0.1, RB0.0.0, SF0.0, BW0.0, RB0.1.1, BW0.1]
  // expected-error@+2 {{device 1 has RF1.0.0 at item 0 as message 0 of channel 0, but device 0 sends it as message 1 of channel 0}}
  // expected-error@+1 {{device 1 has RF1.1.1 at item 1 as message 1 of channel 0, but device 0 sends it as message 0 of channel 0}}
  pipeline.program @gpu1 [RF1.0.0, RF1.1.1, F1.0, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
}
