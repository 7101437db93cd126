// Every operation and attribute with all that is optional in it.
//
// RUN: octopipe-opt %s | octopipe-opt | FileCheck %s
// RUN: octopipe-opt %s -mlir-print-op-generic | octopipe-opt | FileCheck %s

// CHECK-DAG: #all = #pipeline.profile<"all", f_ns = 1, b_ns = 2, w_ns = 3, param_bytes = 4, grad_bytes = 5, optimizer_bytes = 6, saved_b_bytes = 7, saved_w_bytes = 8, f_workspace_bytes = 9, b_workspace_bytes = 10, unsplittable, role = head, on = {"a b" = <w_ns = 9>, h20 = <f_ns = 1, b_ns = 2, w_ns = 3>, h800 = <>}>
#all = #pipeline.profile<"all", on = {h800 = <>, h20 = <w_ns = 3, b_ns = 2, f_ns = 1>, "a b" = <w_ns = 9>}, role = head, unsplittable,
    b_workspace_bytes = 10, f_workspace_bytes = 9, saved_w_bytes = 8, saved_b_bytes = 7, optimizer_bytes = 6, grad_bytes = 5, param_bytes = 4,
    w_ns = 3, b_ns = 2, f_ns = 1>
// CHECK-DAG: #free = #pipeline.profile<"free">
#free = #pipeline.profile<"free", f_ns = 0, role = block, on = {}>
// CHECK-DAG: #embed = #pipeline.profile<"embed", f_ns = 9223372036854, role = embedding>
#embed = #pipeline.profile<"embed", f_ns = 9223372036854, role = embedding>

// CHECK: pipeline.cluster @mixed attributes {rack = 1 : i64} {
pipeline.cluster @mixed attributes {rack = 1 : i64} {
  // CHECK-NEXT: pipeline.device @d0 kind "h100" memory_bytes 85899345920 speed_permille 950
  pipeline.device @d0 kind "h100" memory_bytes 85899345920 speed_permille 950
  // CHECK-NEXT: pipeline.device @d1 kind "h 20" speed_permille 1 {pod = 2 : i64}
  pipeline.device @d1 kind "h 20" speed_permille 1 {pod = 2 : i64}
  // CHECK-NEXT: pipeline.device @d2 kind "" memory_bytes 1
  pipeline.device @d2 kind "" memory_bytes 1
  // CHECK-NEXT: pipeline.link @d0 to @d1 latency_ns 0 bytes_per_us 0 port "nic0"
  pipeline.link @d0 to @d1 latency_ns 0 bytes_per_us 0 port "nic0"
  // CHECK-NEXT: pipeline.link @d1 to @d0 latency_ns 5 bytes_per_us 7 {cable = "x"}
  pipeline.link @d1 to @d0 latency_ns 5 bytes_per_us 7 {cable = "x"}
}

// CHECK: pipeline.model @graph on @mixed micro_batches 1 launch_overhead_ns 5000 tokens 4096 attributes {run = "a"} {
pipeline.model @graph on @mixed micro_batches 1 launch_overhead_ns 5000 tokens 4096 attributes {run = "a"} {
  // CHECK-NEXT: %[[A:.*]]:2 = pipeline.layer "two outputs"() #embed shares "wte" no_grad {note = 1 : i64} : () -> (tensor<4xi4>, tensor<2x0x3xf32>)
  %a:2 = pipeline.layer "two outputs"() #embed shares "wte" no_grad {note = 1 : i64} : () -> (tensor<4xi4>, tensor<2x0x3xf32>)
  // CHECK-NEXT: %[[B:.*]] = pipeline.layer "free"(%[[A]]#1) <""> no_grad : (tensor<2x0x3xf32>) -> tensor<complex<f32>>
  %b = pipeline.layer "free"(%a#1) <""> no_grad : (tensor<2x0x3xf32>) -> tensor<complex<f32>>
  // CHECK-NEXT: pipeline.layer "skip"(%[[A]]#0, %[[A]]#0, %[[B]]) #all shares "other" : (tensor<4xi4>, tensor<4xi4>, tensor<complex<f32>>) -> ()
  pipeline.layer "skip"(%a#0, %a#0, %b) #all shares "other" : (tensor<4xi4>, tensor<4xi4>, tensor<complex<f32>>) -> ()
  // CHECK-NEXT: pipeline.yield
  pipeline.yield
}

// CHECK: pipeline.model @staged on @mixed micro_batches 1 tokens 0 {
pipeline.model @staged on @mixed micro_batches 1 tokens 0 {
  // CHECK-NEXT: %[[S0:.*]]:2 = pipeline.stage 0 on @d0 attributes {host = 3 : i64} () -> (tensor<1xf32>, tensor<2xf32>) {
  %s0:2 = pipeline.stage 0 on @d0 attributes {host = 3 : i64} () -> (tensor<1xf32>, tensor<2xf32>) {
    %a:2 = pipeline.layer "a"() #free : () -> (tensor<1xf32>, tensor<2xf32>)
    // CHECK: pipeline.yield %[[A:.*]]#0, %[[A]]#1 : tensor<1xf32>, tensor<2xf32>
    pipeline.yield %a#0, %a#1 : tensor<1xf32>, tensor<2xf32>
  }
  // CHECK: pipeline.stage 1 on @d2 (%[[IN0:.*]] = %[[S0]]#1 : tensor<2xf32>, %[[IN1:.*]] = %[[S0]]#0 : tensor<1xf32>) {
  pipeline.stage 1 on @d2 (%x = %s0#1 : tensor<2xf32>, %y = %s0#0 : tensor<1xf32>) {
    // CHECK-NEXT: pipeline.layer "b"(%[[IN1]], %[[IN0]]) #all
    pipeline.layer "b"(%y, %x) #all : (tensor<1xf32>, tensor<2xf32>) -> ()
    pipeline.yield
  }
  pipeline.yield
}

// CHECK: pipeline.schedule @plan of @staged policy "1f1b" metrics <makespan_ns = 8, bound_ns = 8, bound = "a \22b\22", bubble_permille = 1000> attributes {seed = 0 : i64} {
pipeline.schedule @plan of @staged policy "1f1b" metrics <makespan_ns = 8, bound_ns = 8, bound = "a \"b\"", bubble_permille = 1000> attributes {seed = 0 : i64} {
  // CHECK-NEXT: pipeline.program @d0 [F0.0, B0.0, W0.0] {core = 1 : i64}
  pipeline.program @d0 [F0.0, B0.0, W0.0] {core = 1 : i64}
  // CHECK-NEXT: pipeline.program @d1 []
  pipeline.program @d1 []
  // CHECK-NEXT: pipeline.program @d2 [F1.0, BW1.0]
  pipeline.program @d2 [F1.0, BW1.0]
}

// CHECK: module attributes {pipeline.costs = #all, pipeline.empty = #pipeline.items<[]>, pipeline.items = #pipeline.items<[F0.0, SF0.0, RB2147483647.2147483647.32767, RF1.2]>,
// CHECK-SAME: pipeline.metrics = #pipeline.metrics<makespan_ns = 2, bound_ns = 1, bound = "chain", bubble_permille = 0>, pipeline.times = #pipeline.times<b_ns = 5>,
// CHECK-SAME: pipeline.transfers = [#pipeline.transfers<slots = 1>, #pipeline.transfers<slots = 3, channel_per_kind = true, group = true>]}
module attributes {
  pipeline.costs = #all,
  pipeline.empty = #pipeline.items<[]>,
  pipeline.items = #pipeline.items<[F0.0, SF0.0, RB2147483647.2147483647.32767, RF1.2]>,
  pipeline.metrics = #pipeline.metrics<makespan_ns = 2, bound_ns = 1, bound = "chain", bubble_permille = 0>,
  pipeline.times = #pipeline.times<b_ns = 5>,
  pipeline.transfers = [#pipeline.transfers<slots = 1, group = false>, #pipeline.transfers<slots = 3, group = true, channel_per_kind = true>]
} {}
