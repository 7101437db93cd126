// RUN: octopipe-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{profile "mamba": f_ns is -1; expected at least 0}}
#a = #pipeline.profile<"mamba", f_ns = -1>

// -----

// expected-error@+1 {{profile "mamba": b_ns is -2; expected at least 0}}
#a = #pipeline.profile<"mamba", b_ns = -2>

// -----

// expected-error@+1 {{profile "mamba": w_ns is -3; expected at least 0}}
#a = #pipeline.profile<"mamba", w_ns = -3>

// -----

// expected-error@+1 {{profile "mamba": param_bytes is -4; expected at least 0}}
#a = #pipeline.profile<"mamba", param_bytes = -4>

// -----

// expected-error@+1 {{profile "mamba": grad_bytes is -5; expected at least 0}}
#a = #pipeline.profile<"mamba", grad_bytes = -5>

// -----

// expected-error@+1 {{profile "mamba": optimizer_bytes is -6; expected at least 0}}
#a = #pipeline.profile<"mamba", optimizer_bytes = -6>

// -----

// expected-error@+1 {{profile "mamba": saved_b_bytes is -7; expected at least 0}}
#a = #pipeline.profile<"mamba", saved_b_bytes = -7>

// -----

// expected-error@+1 {{profile "mamba": saved_w_bytes is -8; expected at least 0}}
#a = #pipeline.profile<"mamba", saved_w_bytes = -8>

// -----

// expected-error@+1 {{profile "mamba": f_workspace_bytes is -9; expected at least 0}}
#a = #pipeline.profile<"mamba", f_workspace_bytes = -9>

// -----

// expected-error@+1 {{profile "mamba": b_workspace_bytes is -10; expected at least 0}}
#a = #pipeline.profile<"mamba", b_workspace_bytes = -10>

// -----

// expected-error@+1 {{f_ns is 9223372036854775808; expected -9223372036854775808 to 9223372036854775807}}
#a = #pipeline.profile<"mamba", f_ns = 9223372036854775808>

// -----

// expected-error@+1 {{b_ns is -9223372036854775809; expected -9223372036854775808 to 9223372036854775807}}
#a = #pipeline.profile<"mamba", b_ns = -9223372036854775809>

// -----

// expected-error@+1 {{param_bytes: expected an integer}}
#a = #pipeline.profile<"mamba", param_bytes = many>

// -----

// expected-error@+1 {{key f_ns stands twice}}
#a = #pipeline.profile<"mamba", f_ns = 1, f_ns = 1>

// -----

// expected-error@+1 {{key unsplittable stands twice}}
#a = #pipeline.profile<"mamba", unsplittable, unsplittable>

// -----

// expected-error@+1 {{key role stands twice}}
#a = #pipeline.profile<"mamba", role = block, role = head>

// -----

// expected-error@+1 {{key on stands twice}}
#a = #pipeline.profile<"mamba", on = {}, on = {}>

// -----

// expected-error@+1 {{unknown key f; a profile knows f_ns, b_ns, w_ns, param_bytes, grad_bytes, optimizer_bytes, saved_b_bytes, saved_w_bytes, f_workspace_bytes, b_workspace_bytes, unsplittable, role, on}}
#a = #pipeline.profile<"mamba", f = 1>

// -----

// expected-error@+1 {{role is tail; expected block, embedding or head}}
#a = #pipeline.profile<"mamba", role = tail>

// -----

// expected-error@+1 {{expected string}}
#a = #pipeline.profile<mamba>

// -----

// expected-error@+1 {{device kind "h20" stands twice}}
#a = #pipeline.profile<"mamba", on = {h20 = <f_ns = 1>, h20 = <f_ns = 1>}>

// -----

// expected-error@+1 {{times: w_ns is -1; expected at least 0}}
#a = #pipeline.profile<"mamba", on = {h20 = <w_ns = -1>}>

// -----

// expected-error@+1 {{unknown key param_bytes; times know f_ns, b_ns, w_ns}}
#a = #pipeline.profile<"mamba", on = {h20 = <param_bytes = 1>}>

// -----

// expected-error@+1 {{times: f_ns is -1; expected at least 0}}
#a = #pipeline.times<f_ns = -1>

// -----

// expected-error@+1 {{times: b_ns is -1; expected at least 0}}
#a = #pipeline.times<b_ns = -1>

// -----

// expected-error@+1 {{key b_ns stands twice}}
#a = #pipeline.times<b_ns = 1, b_ns = 2>

// -----

// expected-error@+1 {{metrics: bubble_permille is 1001; expected at most 1000}}
#a = #pipeline.metrics<makespan_ns = 1, bound_ns = 1, bound = "chain", bubble_permille = 1001>

// -----

// expected-error@+1 {{metrics: bubble_permille is -1; expected at least 0}}
#a = #pipeline.metrics<makespan_ns = 1, bound_ns = 1, bound = "chain", bubble_permille = -1>

// -----

// expected-error@+1 {{metrics: bound_ns is 2; expected at most makespan_ns, 1}}
#a = #pipeline.metrics<makespan_ns = 1, bound_ns = 2, bound = "chain", bubble_permille = 0>

// -----

// expected-error@+1 {{metrics: makespan_ns is -1; expected at least 0}}
#a = #pipeline.metrics<makespan_ns = -1, bound_ns = -1, bound = "chain", bubble_permille = 0>

// -----

// expected-error@+1 {{metrics: bound_ns is -1; expected at least 0}}
#a = #pipeline.metrics<makespan_ns = 1, bound_ns = -1, bound = "chain", bubble_permille = 0>

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse Pipeline_MetricsAttr parameter 'makespan_ns' which is to be a `int64_t`}}
#a = #pipeline.metrics<makespan_ns = soon, bound_ns = 1, bound = "chain", bubble_permille = 0>

// -----

// expected-error@+1 {{expected <kind><stage>.<micro-batch>[.<slot>], got 'F2'}}
#a = #pipeline.items<[F0.0, F2]>

// -----

// expected-error@+1 {{expected <kind><stage>.<micro-batch>[.<slot>], got 'R0.0'}}
#a = #pipeline.items<[R0.0]>

// -----

// expected-error@+1 {{expected <kind><stage>.<micro-batch>[.<slot>], got 'F0.0.1'}}
#a = #pipeline.items<[F0.0.1]>

// -----

// expected-error@+1 {{expected <kind><stage>.<micro-batch>[.<slot>], got 'F2147483648.0'}}
#a = #pipeline.items<[F2147483648.0]>

// -----

// expected-error@+1 {{expected a work item, such as F2.5 or BW0.3}}
#a = #pipeline.items<[F0.0, 5]>

// -----

// expected-error@+1 {{expected a work item, such as F2.5 or BW0.3}}
#a = #pipeline.items<[F0.0,]>

// -----

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  // expected-error@+1 {{expected a profile as an alias or as <"kind", ...>, without its name}}
  pipeline.layer "a"() #pipeline.profile<"mamba"> : () -> ()
  pipeline.yield
}

// -----

// expected-error@+1 {{transfers: slots is 0; expected 1 to 32767}}
#a = #pipeline.transfers<slots = 0>

// -----

// expected-error@+1 {{transfers: slots is 32768; expected 1 to 32767}}
#a = #pipeline.transfers<slots = 32768>
