// The five stopping places of one plan: each parses, prints, and what it prints
// is printed again alike.
//
// RUN: octopipe-opt -split-input-file %s > %t.once
// RUN: octopipe-opt -split-input-file %t.once > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// Level 0: layers.
// CHECK-DAG: #embed = #pipeline.profile<"embed", f_ns = 400000, w_ns = 600000, param_bytes = 1073741824>
// CHECK-DAG: #head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>
// CHECK-LABEL: pipeline.cluster @node {
// CHECK-NEXT: pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
// CHECK-NEXT: pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
// CHECK-NEXT: pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
// CHECK-NEXT: pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
// CHECK: pipeline.model @hybrid on @node micro_batches 4 {
// CHECK-NEXT: %[[E:.*]] = pipeline.layer "embed"() #embed : () -> tensor<1x4096x4096xbf16>
// CHECK-NEXT: %[[M:.*]] = pipeline.layer "mamba.0"(%[[E]]) #mamba : (tensor<1x4096x4096xbf16>) -> tensor<1x4096x4096xbf16>
// CHECK: pipeline.layer "head"(%{{.*}}) #head : (tensor<1x4096x4096xbf16>) -> ()
// CHECK-NEXT: pipeline.yield
// CHECK-NEXT: }

!h = tensor<1x4096x4096xbf16>
#embed = #pipeline.profile<"embed", f_ns = 400000, b_ns = 0, w_ns = 600000, param_bytes = 1073741824>
#mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000, param_bytes = 209715200, saved_b_bytes = 201326592, saved_w_bytes = 100663296>
#attn = #pipeline.profile<"attn", f_ns = 700000, b_ns = 900000, w_ns = 300000, param_bytes = 134217728, saved_b_bytes = 167772160, saved_w_bytes = 67108864>
#moe = #pipeline.profile<"moe", f_ns = 1500000, b_ns = 1500000, w_ns = 1700000, param_bytes = 2147483648, saved_b_bytes = 301989888, saved_w_bytes = 201326592>
#mlp = #pipeline.profile<"mlp", f_ns = 700000, b_ns = 700000, w_ns = 600000, param_bytes = 402653184, saved_b_bytes = 134217728, saved_w_bytes = 100663296>
#head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>

pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
  pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
  pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
  pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
}

pipeline.model @hybrid on @node micro_batches 4 {
  %0 = pipeline.layer "embed"() #embed : () -> !h
  %1 = pipeline.layer "mamba.0"(%0) #mamba : (!h) -> !h
  %2 = pipeline.layer "attn.0"(%1) #attn : (!h) -> !h
  %3 = pipeline.layer "mamba.1"(%2) #mamba : (!h) -> !h
  %4 = pipeline.layer "moe.0"(%3) #moe : (!h) -> !h
  %5 = pipeline.layer "mamba.2"(%4) #mamba : (!h) -> !h
  %6 = pipeline.layer "mlp.0"(%5) #mlp : (!h) -> !h
  pipeline.layer "head"(%6) #head : (!h) -> ()
  pipeline.yield
}

// -----

// Level 1: layers in stages.
// CHECK-LABEL: pipeline.cluster @node {
// CHECK: %[[S0:.*]] = pipeline.stage 0 () -> tensor<1x4096x4096xbf16> {
// CHECK-NEXT: %[[E:.*]] = pipeline.layer "embed"
// CHECK-NEXT: pipeline.yield %[[E]] : tensor<1x4096x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: %[[S1:.*]] = pipeline.stage 1 (%[[IN:.*]] = %[[S0]] : tensor<1x4096x4096xbf16>) -> tensor<1x4096x4096xbf16> {
// CHECK-NEXT: pipeline.layer "mamba.0"(%[[IN]])
// CHECK: pipeline.stage 2 (%{{.*}} = %[[S1]] : tensor<1x4096x4096xbf16>) {

!h = tensor<1x4096x4096xbf16>
#embed = #pipeline.profile<"embed", f_ns = 400000, b_ns = 0, w_ns = 600000, param_bytes = 1073741824>
#mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000, param_bytes = 209715200, saved_b_bytes = 201326592, saved_w_bytes = 100663296>
#attn = #pipeline.profile<"attn", f_ns = 700000, b_ns = 900000, w_ns = 300000, param_bytes = 134217728, saved_b_bytes = 167772160, saved_w_bytes = 67108864>
#moe = #pipeline.profile<"moe", f_ns = 1500000, b_ns = 1500000, w_ns = 1700000, param_bytes = 2147483648, saved_b_bytes = 301989888, saved_w_bytes = 201326592>
#mlp = #pipeline.profile<"mlp", f_ns = 700000, b_ns = 700000, w_ns = 600000, param_bytes = 402653184, saved_b_bytes = 134217728, saved_w_bytes = 100663296>
#head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>

pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
  pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
  pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
  pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
}

pipeline.model @hybrid on @node micro_batches 4 {
  %s0 = pipeline.stage 0 () -> !h {
    %0 = pipeline.layer "embed"() #embed : () -> !h
    pipeline.yield %0 : !h
  }
  %s1 = pipeline.stage 1 (%in1 = %s0 : !h) -> !h {
    %1 = pipeline.layer "mamba.0"(%in1) #mamba : (!h) -> !h
    %2 = pipeline.layer "attn.0"(%1) #attn : (!h) -> !h
    %3 = pipeline.layer "mamba.1"(%2) #mamba : (!h) -> !h
    %4 = pipeline.layer "moe.0"(%3) #moe : (!h) -> !h
    pipeline.yield %4 : !h
  }
  pipeline.stage 2 (%in2 = %s1 : !h) {
    %5 = pipeline.layer "mamba.2"(%in2) #mamba : (!h) -> !h
    %6 = pipeline.layer "mlp.0"(%5) #mlp : (!h) -> !h
    pipeline.layer "head"(%6) #head : (!h) -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

// Level 2: stages on devices.
// CHECK-LABEL: pipeline.cluster @node {
// CHECK: %s0 = pipeline.stage 0 on @gpu0 () -> tensor<1x4096x4096xbf16> {
// CHECK: %s1 = pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<1x4096x4096xbf16>) -> tensor<1x4096x4096xbf16> {
// CHECK: pipeline.stage 2 on @gpu0 (%in = %s1 : tensor<1x4096x4096xbf16>) {

!h = tensor<1x4096x4096xbf16>
#embed = #pipeline.profile<"embed", f_ns = 400000, b_ns = 0, w_ns = 600000, param_bytes = 1073741824>
#mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000, param_bytes = 209715200, saved_b_bytes = 201326592, saved_w_bytes = 100663296>
#attn = #pipeline.profile<"attn", f_ns = 700000, b_ns = 900000, w_ns = 300000, param_bytes = 134217728, saved_b_bytes = 167772160, saved_w_bytes = 67108864>
#moe = #pipeline.profile<"moe", f_ns = 1500000, b_ns = 1500000, w_ns = 1700000, param_bytes = 2147483648, saved_b_bytes = 301989888, saved_w_bytes = 201326592>
#mlp = #pipeline.profile<"mlp", f_ns = 700000, b_ns = 700000, w_ns = 600000, param_bytes = 402653184, saved_b_bytes = 134217728, saved_w_bytes = 100663296>
#head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>

pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
  pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
  pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
  pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
}

pipeline.model @hybrid on @node micro_batches 4 {
  %s0 = pipeline.stage 0 on @gpu0 () -> !h {
    %0 = pipeline.layer "embed"() #embed : () -> !h
    pipeline.yield %0 : !h
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in1 = %s0 : !h) -> !h {
    %1 = pipeline.layer "mamba.0"(%in1) #mamba : (!h) -> !h
    %2 = pipeline.layer "attn.0"(%1) #attn : (!h) -> !h
    %3 = pipeline.layer "mamba.1"(%2) #mamba : (!h) -> !h
    %4 = pipeline.layer "moe.0"(%3) #moe : (!h) -> !h
    pipeline.yield %4 : !h
  }
  pipeline.stage 2 on @gpu0 (%in2 = %s1 : !h) {
    %5 = pipeline.layer "mamba.2"(%in2) #mamba : (!h) -> !h
    %6 = pipeline.layer "mlp.0"(%5) #mlp : (!h) -> !h
    pipeline.layer "head"(%6) #head : (!h) -> ()
    pipeline.yield
  }
  pipeline.yield
}

// -----

// Level 3: an order for every device.
// CHECK-LABEL: pipeline.cluster @node {
// CHECK: pipeline.schedule @hybrid_plan of @hybrid metrics <makespan_ns = 53378000, bound_ns = 51200000, bound = "indivisible-work", bubble_permille = 45> {
// CHECK-NEXT: pipeline.program @gpu0 [F0.0, F0.1, F0.2, F0.3, F2.0, B2.0, F2.1, B2.1, W2.0, F2.2, B2.2, F2.3, B2.3, W2.1, W2.2, W2.3,
// CHECK-NEXT: {{^      }}BW0.0, BW0.1, BW0.2, BW0.3]
// CHECK-NEXT: pipeline.program @gpu1 [F1.0, F1.1, F1.2, F1.3, B1.0, W1.0, B1.1, W1.1, B1.2, W1.2, B1.3, W1.3]
// CHECK-NEXT: }

!h = tensor<1x4096x4096xbf16>
#embed = #pipeline.profile<"embed", f_ns = 400000, b_ns = 0, w_ns = 600000, param_bytes = 1073741824>
#mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000, param_bytes = 209715200, saved_b_bytes = 201326592, saved_w_bytes = 100663296>
#attn = #pipeline.profile<"attn", f_ns = 700000, b_ns = 900000, w_ns = 300000, param_bytes = 134217728, saved_b_bytes = 167772160, saved_w_bytes = 67108864>
#moe = #pipeline.profile<"moe", f_ns = 1500000, b_ns = 1500000, w_ns = 1700000, param_bytes = 2147483648, saved_b_bytes = 301989888, saved_w_bytes = 201326592>
#mlp = #pipeline.profile<"mlp", f_ns = 700000, b_ns = 700000, w_ns = 600000, param_bytes = 402653184, saved_b_bytes = 134217728, saved_w_bytes = 100663296>
#head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>

pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
  pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
  pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
  pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
}

pipeline.model @hybrid on @node micro_batches 4 {
  %s0 = pipeline.stage 0 on @gpu0 () -> !h {
    %0 = pipeline.layer "embed"() #embed : () -> !h
    pipeline.yield %0 : !h
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in1 = %s0 : !h) -> !h {
    %1 = pipeline.layer "mamba.0"(%in1) #mamba : (!h) -> !h
    %2 = pipeline.layer "attn.0"(%1) #attn : (!h) -> !h
    %3 = pipeline.layer "mamba.1"(%2) #mamba : (!h) -> !h
    %4 = pipeline.layer "moe.0"(%3) #moe : (!h) -> !h
    pipeline.yield %4 : !h
  }
  pipeline.stage 2 on @gpu0 (%in2 = %s1 : !h) {
    %5 = pipeline.layer "mamba.2"(%in2) #mamba : (!h) -> !h
    %6 = pipeline.layer "mlp.0"(%5) #mlp : (!h) -> !h
    pipeline.layer "head"(%6) #head : (!h) -> ()
    pipeline.yield
  }
  pipeline.yield
}

pipeline.schedule @hybrid_plan of @hybrid metrics <makespan_ns = 53378000, bound_ns = 51200000, bound = "indivisible-work", bubble_permille = 45> {
  pipeline.program @gpu0 [F0.0, F0.1, F0.2, F0.3, F2.0, B2.0, F2.1, B2.1, W2.0, F2.2, B2.2, F2.3,
    B2.3, W2.1, W2.2, W2.3, BW0.0, BW0.1, BW0.2, BW0.3]
  pipeline.program @gpu1 [F1.0, F1.1, F1.2, F1.3, B1.0, W1.0, B1.1, W1.1, B1.2, W1.2, B1.3, W1.3]
}

// -----

// Level 4: sends, and receives into slots.
// CHECK-LABEL: pipeline.cluster @node {
// CHECK: pipeline.schedule @hybrid_plan of @hybrid transfers <slots = 2> {
// CHECK-NEXT: pipeline.program @gpu0 [F0.0, SF0.0, F0.1, SF0.1, F0.2, SF0.2, RF2.0.0, F0.3, SF0.3, RF2.1.1, F2.0, B2.0, SB2.0, RF2.2.0, F2.1, B2.1,
// CHECK-NEXT: SB2.1, W2.0, RF2.3.1, F2.2, B2.2, SB2.2, RB0.0.0, F2.3, B2.3, SB2.3, W2.1, W2.2, W2.3, RB0.1.1, BW0.0, RB0.2.0,
// CHECK-NEXT: BW0.1, RB0.3.1, BW0.2, BW0.3]
// CHECK-NEXT: pipeline.program @gpu1 [RF1.0.0,

!h = tensor<1x4096x4096xbf16>
#embed = #pipeline.profile<"embed", f_ns = 400000, b_ns = 0, w_ns = 600000, param_bytes = 1073741824>
#mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000, param_bytes = 209715200, saved_b_bytes = 201326592, saved_w_bytes = 100663296>
#attn = #pipeline.profile<"attn", f_ns = 700000, b_ns = 900000, w_ns = 300000, param_bytes = 134217728, saved_b_bytes = 167772160, saved_w_bytes = 67108864>
#moe = #pipeline.profile<"moe", f_ns = 1500000, b_ns = 1500000, w_ns = 1700000, param_bytes = 2147483648, saved_b_bytes = 301989888, saved_w_bytes = 201326592>
#mlp = #pipeline.profile<"mlp", f_ns = 700000, b_ns = 700000, w_ns = 600000, param_bytes = 402653184, saved_b_bytes = 134217728, saved_w_bytes = 100663296>
#head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, saved_b_bytes = 1073741824>

pipeline.cluster @node {
  pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
  pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
  pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
  pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000
}

pipeline.model @hybrid on @node micro_batches 4 {
  %s0 = pipeline.stage 0 on @gpu0 () -> !h {
    %0 = pipeline.layer "embed"() #embed : () -> !h
    pipeline.yield %0 : !h
  }
  %s1 = pipeline.stage 1 on @gpu1 (%in1 = %s0 : !h) -> !h {
    %1 = pipeline.layer "mamba.0"(%in1) #mamba : (!h) -> !h
    %2 = pipeline.layer "attn.0"(%1) #attn : (!h) -> !h
    %3 = pipeline.layer "mamba.1"(%2) #mamba : (!h) -> !h
    %4 = pipeline.layer "moe.0"(%3) #moe : (!h) -> !h
    pipeline.yield %4 : !h
  }
  pipeline.stage 2 on @gpu0 (%in2 = %s1 : !h) {
    %5 = pipeline.layer "mamba.2"(%in2) #mamba : (!h) -> !h
    %6 = pipeline.layer "mlp.0"(%5) #mlp : (!h) -> !h
    pipeline.layer "head"(%6) #head : (!h) -> ()
    pipeline.yield
  }
  pipeline.yield
}

pipeline.schedule @hybrid_plan of @hybrid transfers <slots = 2> {
  pipeline.program @gpu0 [F0.0, SF0.0, F0.1, SF0.1, F0.2, SF0.2, RF2.0.0, F0.3, SF0.3, RF2.1.1, F2.0, B2.0,
    SB2.0, RF2.2.0, F2.1, B2.1, SB2.1, W2.0, RF2.3.1, F2.2, B2.2, SB2.2, RB0.0.0, F2.3,
    B2.3, SB2.3, W2.1, W2.2, W2.3, RB0.1.1, BW0.0, RB0.2.0, BW0.1, RB0.3.1, BW0.2, BW0.3]
  pipeline.program @gpu1 [RF1.0.0, RF1.1.1, F1.0, SF1.0, RF1.2.0, F1.1, SF1.1, RF1.3.1, F1.2, SF1.2, RB1.0.0, F1.3,
    SF1.3, RB1.1.1, B1.0, SB1.0, W1.0, RB1.2.0, B1.1, SB1.1, W1.1, RB1.3.1, B1.2, SB1.2,
    W1.2, B1.3, SB1.3, W1.3]
}
