#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_TD_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_TD_

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "dialects/pipeline/ir/attrs.td"
include "dialects/pipeline/ir/dialect.td"

class Pipeline_Op<string op_mnemonic, list<Trait> traits = []>
    : Op<Pipeline_Dialect, op_mnemonic, traits>;

// A count, nanoseconds or bytes; printed without a type.
def Pipeline_Int : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def Pipeline_ClusterOp : Pipeline_Op<"cluster", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol,
    SymbolTable]> {
  let summary = "The devices that a model is planned for.";
  let description = [{
    Holds `pipeline.device` and `pipeline.link` operations. A pair of devices
    without a link transfers for free.

    ```mlir
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100" memory_bytes 85899345920
      pipeline.device @gpu1 kind "h100" memory_bytes 85899345920
      pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Pipeline_DeviceOp : Pipeline_Op<"device", [HasParent<"ClusterOp">, Symbol]> {
  let summary = "One accelerator.";
  let description = [{
    `kind` selects the measured times of a profile that has any for it.
    `memory_bytes` is what a plan may use; without it memory is not limited.
    `speed_permille` scales the other times: a device of 500 takes twice as
    long as one of 1000, the default.

    ```mlir
    pipeline.cluster @mixed {
      pipeline.device @fast kind "h100" memory_bytes 85899345920
      pipeline.device @slow kind "h20" memory_bytes 103079215104 speed_permille 400
      pipeline.device @unbounded kind "h100"
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$kind,
    OptionalAttr<Pipeline_Int>:$memory_bytes,
    OptionalAttr<Pipeline_Int>:$speed_permille
  );
  let assemblyFormat = [{
    $sym_name `kind` $kind
    (`memory_bytes` custom<MemoryBytes>($memory_bytes)^)?
    (`speed_permille` custom<SpeedPermille>($speed_permille)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Pipeline_LinkOp : Pipeline_Op<"link", [
    HasParent<"ClusterOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A directed channel between two devices.";
  let description = [{
    First in, first out: a message of n bytes occupies the channel for
    n / `bytes_per_us` microseconds and arrives `latency_ns` later. With
    `bytes_per_us 0` the size costs nothing. Links that name one `port` share
    its bandwidth. At most one link per ordered pair of devices.

    ```mlir
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
      pipeline.link @gpu0 to @gpu1 latency_ns 10000 bytes_per_us 200000 port "nic0"
      pipeline.link @gpu1 to @gpu0 latency_ns 10000 bytes_per_us 200000 port "nic0"
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$source,
    FlatSymbolRefAttr:$target,
    Pipeline_Int:$latency_ns,
    Pipeline_Int:$bytes_per_us,
    OptionalAttr<StrAttr>:$port
  );
  let assemblyFormat = [{
    $source `to` $target
    `latency_ns` custom<Int>($latency_ns, "\"latency_ns\"")
    `bytes_per_us` custom<Int>($bytes_per_us, "\"bytes_per_us\"")
    (`port` $port^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

def Pipeline_ModelOp : Pipeline_Op<"model", [
    DeclareOpInterfaceMethods<RegionKindInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, HasOnlyGraphRegion,
    IsolatedFromAbove, NoRegionArguments, SingleBlock, Symbol]> {
  let summary = "What is trained: layers, or stages of layers, in order.";
  let description = [{
    The body has either layers or stages, never both. Layers stand in a
    topological order; a stage holds a contiguous run of them. A step runs
    `micro_batches` micro-batches. `launch_overhead_ns` is the host's cost of
    starting one item, added to each. `tokens` is the number of tokens of one
    micro-batch, for throughput.

    ```mlir
    !h = tensor<1x4096x4096xbf16>
    #embed = #pipeline.profile<"embed", f_ns = 400000, w_ns = 600000>
    #block = #pipeline.profile<"block", f_ns = 1000000, b_ns = 1600000, w_ns = 700000>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @tiny on @node micro_batches 4 launch_overhead_ns 5000 tokens 4096 {
      %0 = pipeline.layer "embed"() #embed : () -> !h
      pipeline.layer "block.0"(%0) #block : (!h) -> ()
      pipeline.yield
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<FlatSymbolRefAttr>:$cluster,
    Pipeline_Int:$micro_batches,
    OptionalAttr<Pipeline_Int>:$launch_overhead_ns,
    OptionalAttr<Pipeline_Int>:$tokens
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`on` $cluster^)?
    `micro_batches` custom<Int>($micro_batches, "\"micro_batches\"")
    (`launch_overhead_ns` custom<LaunchOverheadNs>($launch_overhead_ns)^)?
    (`tokens` custom<Tokens>($tokens)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The stages in order; empty before `pipeline-partition`.
    std::vector<StageOp> getStages();
    /// The layers in order, those inside stages too.
    std::vector<LayerOp> getLayers();
  }];
}

def Pipeline_LayerOp : Pipeline_Op<"layer", [
    ParentOneOf<["ModelOp", "StageOp"]>]> {
  let summary = "One layer: what it reads, what it writes, what it costs.";
  let description = [{
    Operands and results are the tensors between layers; their types give the
    bytes that a transfer moves. The profile is an alias, or its parameters
    alone in `<` and `>`. Layers of one `shares` group share their parameters
    (tied embeddings). With `no_grad` no gradient of the outputs comes back, as
    into a frozen encoder.

    The name is a string, not a symbol: a layer keeps it when it moves into a
    stage. It is unique in the model.

    ```mlir
    !h = tensor<1x4096x4096xbf16>
    #embed = #pipeline.profile<"embed", f_ns = 400000, w_ns = 600000, param_bytes = 1073741824, role = embedding>
    #head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 2600000, w_ns = 1000000, param_bytes = 1073741824, role = head>
    #image = #pipeline.profile<"image", f_ns = 900000>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @tied on @node micro_batches 1 {
      %0 = pipeline.layer "embed"() #embed shares "wte" : () -> !h
      %1 = pipeline.layer "frozen encoder"() #image no_grad : () -> !h
      pipeline.layer "head"(%0, %1) #head shares "wte" : (!h, !h) -> ()
      pipeline.yield
    }
    ```
  }];
  let arguments = (ins
    StrAttr:$layer_name,
    Variadic<AnyRankedTensor>:$inputs,
    Pipeline_ProfileAttr:$profile,
    OptionalAttr<StrAttr>:$shares,
    UnitAttr:$no_grad
  );
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $layer_name `(` $inputs `)` custom<Profile>($profile)
    (`shares` $shares^)? (`no_grad` $no_grad^)?
    attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of all outputs for one micro-batch.
    int64_t getOutputBytes();
    /// Bytes of the gradients of the outputs: as many, or 0 with `no_grad`.
    int64_t getOutputGradBytes();
    /// The layers that compute the inputs, through the stages' boundaries: one
    /// per operand, in order.
    std::vector<LayerOp> getProducers();
  }];
}

def Pipeline_StageOp : Pipeline_Op<"stage", [
    DeclareOpInterfaceMethods<RegionKindInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, HasOnlyGraphRegion,
    DeclareOpInterfaceMethods<OpAsmOpInterface, [
        "getAsmBlockArgumentNames", "getAsmResultNames"]>,
    HasParent<"ModelOp">, IsolatedFromAbove, SingleBlock]> {
  let summary = "Layers that run as one unit of work on one device.";
  let description = [{
    Stages of a model are numbered from 0 in order. A stage sees nothing but its
    arguments, so every tensor that crosses a boundary is an operand of a stage,
    bound to a name inside, and comes from an earlier stage. `on` places the
    stage; a device may hold any number of stages.

    ```mlir
    !h = tensor<1x4096x4096xbf16>
    #block = #pipeline.profile<"block", f_ns = 1000000, b_ns = 1600000, w_ns = 700000>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
    }
    pipeline.model @two on @node micro_batches 4 {
      %s0 = pipeline.stage 0 on @gpu0 () -> !h {
        %0 = pipeline.layer "block.0"() #block : () -> !h
        pipeline.yield %0 : !h
      }
      pipeline.stage 1 on @gpu1 (%in = %s0 : !h) {
        pipeline.layer "block.1"(%in) #block : (!h) -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```
  }];
  let arguments = (ins
    Pipeline_Int:$index,
    OptionalAttr<FlatSymbolRefAttr>:$device,
    Variadic<AnyRankedTensor>:$inputs
  );
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Int>($index, "\"index\"") (`on` $device^)? attr-dict-with-keyword
    custom<StageSignature>($inputs, type($inputs), type($outputs), $body)
  }];
  let hasRegionVerifier = 1;
}

def Pipeline_YieldOp : Pipeline_Op<"yield", [
    ParentOneOf<["ModelOp", "StageOp"]>, Terminator]> {
  let summary = "Ends a model or a stage.";
  let description = [{
    In a stage it names the tensors that later stages read. In a model it has
    no operands.

    ```mlir
    #block = #pipeline.profile<"block", f_ns = 1000000>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @one on @node micro_batches 1 {
      pipeline.stage 0 () {
        pipeline.layer "block"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

def Pipeline_ScheduleOp : Pipeline_Op<"schedule", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, IsolatedFromAbove,
    NoRegionArguments, NoTerminator, SingleBlock, Symbol]> {
  let summary = "One order of all work of a placed model.";
  let description = [{
    One `pipeline.program` per device that has work. Together they hold, for
    each stage and micro-batch, the forward pass once and the backward pass
    once: whole (`BW`) or split (`B` and `W`). `policy` names the rule that made
    the order. A model may have several schedules.

    With `transfers`, which `pipeline-insert-transfers` adds, the programs hold
    the sends and receives of all tensors that cross from one device to another
    as well; see `#pipeline.transfers`. Without, they hold none.

    The verifier checks what one device's order shows: that an item comes after
    those on the same device whose results it reads. That the orders of all
    devices together have no cycle is checked by `pipeline-verify`.

    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
    }
    pipeline.model @two on @node micro_batches 2 {
      %s0 = pipeline.stage 0 on @gpu0 () -> tensor<8xf32> {
        %0 = pipeline.layer "block.0"() #block : () -> tensor<8xf32>
        pipeline.yield %0 : tensor<8xf32>
      }
      pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<8xf32>) {
        pipeline.layer "block.1"(%in) #block : (tensor<8xf32>) -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    pipeline.schedule @plan of @two policy "1f1b" metrics <makespan_ns = 800, bound_ns = 600, bound = "indivisible-work", bubble_permille = 250> {
      pipeline.program @gpu0 [F0.0, F0.1, BW0.0, BW0.1]
      pipeline.program @gpu1 [F1.0, B1.0, W1.0, F1.1, B1.1, W1.1]
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    FlatSymbolRefAttr:$model,
    OptionalAttr<StrAttr>:$policy,
    OptionalAttr<Pipeline_TransfersAttr>:$transfers,
    OptionalAttr<Pipeline_MetricsAttr>:$metrics
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $model (`policy` $policy^)?
    (`transfers` $transfers^)? (`metrics` $metrics^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Pipeline_ProgramOp : Pipeline_Op<"program", [HasParent<"ScheduleOp">]> {
  let summary = "The total order of one device's work.";
  let description = [{
    The items are a `#pipeline.items`; there the letters are explained. Compute
    items run one at a time in this order; sends and receives are posted in it.

    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @one on @node micro_batches 2 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    pipeline.schedule @plan of @one {
      pipeline.program @gpu0 [F0.0, BW0.0, F0.1, B0.1, W0.1]
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$device, Pipeline_ItemsAttr:$items);
  let assemblyFormat = "$device custom<ItemList>($items) attr-dict";
}

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_OPS_TD_
