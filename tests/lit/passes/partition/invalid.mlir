// RUN: octopipe-opt %s --pipeline-partition="num-stages=3" -split-input-file -verify-diagnostics

#block = #pipeline.profile<"block", f_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
}
// expected-error @+1 {{cannot form 3 stages from 1 layers}}
pipeline.model @few_layers on @node micro_batches 4 {
  pipeline.layer "block.0"() #block : () -> ()
  pipeline.yield
}

// -----

#block = #pipeline.profile<"block", f_ns = 100>
pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100"
}
// expected-error @+1 {{model @twice is partitioned, expected graph; take it back with pipeline-strip-plan{to=graph}}}
pipeline.model @twice on @node micro_batches 4 {
  pipeline.stage 0 () {
    pipeline.layer "block.0"() #block : () -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

#block = #pipeline.profile<"block", f_ns = 100>
// expected-error @+1 {{no devices}}
pipeline.model @no_cluster micro_batches 4 {
  pipeline.layer "block.0"() #block : () -> ()
  pipeline.yield
}
