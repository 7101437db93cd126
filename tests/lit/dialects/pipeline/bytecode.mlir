// The binary form holds what the text holds.
//
// RUN: octopipe-opt %s > %t.text
// RUN: octopipe-opt --emit-bytecode %s -o %t.mlirbc
// RUN: octopipe-opt %t.mlirbc | diff %t.text -
// RUN: octopipe-opt %t.mlirbc | FileCheck %s
//
// Every file that ends early is refused, with a message.
// RUN: head -c 40 %t.mlirbc > %t.cut
// RUN: not octopipe-opt %t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error:

#all = #pipeline.profile<"all", f_ns = 1, b_ns = 2, w_ns = 3, param_bytes = 4, grad_bytes = 5, optimizer_bytes = 6,
    saved_b_bytes = 7, saved_w_bytes = 8, f_workspace_bytes = 9, b_workspace_bytes = 9223372036854775807, unsplittable,
    role = embedding, on = {h20 = <f_ns = 9223372036854775807, b_ns = 2, w_ns = 3>}>

// CHECK-LABEL: module attributes
// CHECK-SAME: pipeline.items = #pipeline.items<[F0.0, B1.2, W3.4, BW5.6, SF7.8, RF9.10, RF11.12.0, SB13.14, RB15.16, RB2147483647.2147483647.32767]>
module attributes {
  pipeline.costs = #all,
  pipeline.empty = #pipeline.items<[]>,
  pipeline.items = #pipeline.items<[F0.0, B1.2, W3.4, BW5.6, SF7.8, RF9.10, RF11.12.0, SB13.14, RB15.16, RB2147483647.2147483647.32767]>,
  pipeline.metrics = #pipeline.metrics<makespan_ns = 9223372036854775807, bound_ns = 4, bound = "chain", bubble_permille = 999>,
  pipeline.transfers = #pipeline.transfers<slots = 32767, group = true>
} {
  pipeline.cluster @c {
    pipeline.device @gpu kind "h100" memory_bytes 5 speed_permille 6
    pipeline.device @gpu2 kind "h100"
    pipeline.link @gpu to @gpu2 latency_ns 7 bytes_per_us 8 port "nic"
  }
  pipeline.model @m on @c micro_batches 1 launch_overhead_ns 9 tokens 10 {
    %s0 = pipeline.stage 0 on @gpu () -> tensor<1xf32> {
      %0 = pipeline.layer "0"() <"a"> shares "w" : () -> tensor<1xf32>
      pipeline.yield %0 : tensor<1xf32>
    }
    pipeline.stage 1 on @gpu (%in = %s0 : tensor<1xf32>) {
      pipeline.layer "1"(%in) <"a"> no_grad : (tensor<1xf32>) -> ()
      pipeline.yield
    }
    pipeline.yield
  }
  pipeline.schedule @plan of @m policy "list" metrics <makespan_ns = 3, bound_ns = 3, bound = "chain", bubble_permille = 0> {
    pipeline.program @gpu [F0.0, F1.0, BW1.0, BW0.0]
  }
}
