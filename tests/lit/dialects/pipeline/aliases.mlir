// A profile is printed as an alias of its kind, so the head of a file is the
// cost table. Kinds that are no identifiers, or the same for two costs, still
// give aliases that parse.
//
// RUN: octopipe-opt %s | FileCheck %s
// RUN: octopipe-opt %s > %t.once
// RUN: octopipe-opt %t.once | diff %t.once -
// RUN: octopipe-opt %s -mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: octopipe-opt %s -mlir-print-local-scope | octopipe-opt | diff %t.once -

// CHECK-DAG: #[[M1:.+]] = #pipeline.profile<"mamba", f_ns = 1>
// CHECK-DAG: #[[M2:.+]] = #pipeline.profile<"mamba", f_ns = 2>
// CHECK-DAG: #[[DIGIT:attn2.*]] = #pipeline.profile<"attn2", f_ns = 3>
// CHECK-DAG: #[[SPACE:a_b.*]] = #pipeline.profile<"a b/c", f_ns = 4>
// CHECK-DAG: #[[LEAD:.+]] = #pipeline.profile<"2nd", f_ns = 5>
#x = #pipeline.profile<"mamba", f_ns = 1>
#y = #pipeline.profile<"mamba", f_ns = 2>
#z = #pipeline.profile<"attn2", f_ns = 3>

pipeline.cluster @c {
  pipeline.device @gpu kind "h100"
}
pipeline.model @m on @c micro_batches 1 {
  // CHECK: pipeline.layer "0"() #[[M1]] :
  // LOCAL: pipeline.layer "0"() <"mamba", f_ns = 1> : () -> ()
  pipeline.layer "0"() #x : () -> ()
  // CHECK: pipeline.layer "1"() #[[M2]] :
  // LOCAL: pipeline.layer "1"() <"mamba", f_ns = 2> : () -> ()
  pipeline.layer "1"() #y : () -> ()
  // CHECK: pipeline.layer "2"() #[[DIGIT]] :
  pipeline.layer "2"() #z : () -> ()
  // CHECK: pipeline.layer "3"() #[[SPACE]] :
  pipeline.layer "3"() <"a b/c", f_ns = 4> : () -> ()
  // CHECK: pipeline.layer "4"() #[[LEAD]] :
  pipeline.layer "4"() <"2nd", f_ns = 5> : () -> ()
  pipeline.layer "5"() #x : () -> ()
  pipeline.yield
}
