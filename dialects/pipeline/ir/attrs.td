#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_TD_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_TD_

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/pipeline/ir/dialect.td"
include "dialects/pipeline/ir/enums.td"

class Pipeline_Attr<string name, string attr_mnemonic>
    : AttrDef<Pipeline_Dialect, name> {
  let mnemonic = attr_mnemonic;
}

def Pipeline_TimesAttr : Pipeline_Attr<"Times", "times"> {
  let summary = "What one micro-batch of a layer takes.";
  let description = [{
    Nanoseconds of the forward pass (`f_ns`), of the gradient of the input
    (`b_ns`) and of the gradient of the weights (`w_ns`). A key that is left out
    is 0. Used for the device kinds of `#pipeline.profile`.

    ```mlir
    module attributes {pipeline.times = #pipeline.times<f_ns = 1400000, b_ns = 2100000, w_ns = 900000>} {}
    ```
  }];
  let parameters = (ins "int64_t":$f_ns, "int64_t":$b_ns, "int64_t":$w_ns);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pipeline_ProfileAttr : Pipeline_Attr<"Profile", "profile"> {
  let summary = "What a kind of layer costs.";
  let description = [{
    The costs of all layers of one kind, for one micro-batch. The kind's name
    comes first; every key that is left out is 0. The printer turns a profile
    into an alias of that name, so the aliases at the head of a file are its
    cost table.

    | key | meaning |
    | --- | ------- |
    | `f_ns`, `b_ns`, `w_ns` | forward, gradient of the input, gradient of the weights, on a device of speed 1 |
    | `param_bytes`, `grad_bytes`, `optimizer_bytes` | alive through the whole step |
    | `saved_b_bytes` | activations kept from the forward pass to the end of the gradient of the input |
    | `saved_w_bytes` | activations kept on to the end of the gradient of the weights |
    | `f_workspace_bytes`, `b_workspace_bytes` | alive only while forward, or backward, runs |
    | `unsplittable` | a flag: backward is one item, never two |
    | `role` | `embedding`, `block` (the default) or `head`: an even split counts blocks only |
    | `on` | times measured on a kind of device; they replace the times above, and the device's speed, there |

    ```mlir
    #mamba = #pipeline.profile<"mamba", f_ns = 1000000, b_ns = 1600000, w_ns = 700000,
                               param_bytes = 209715200, saved_b_bytes = 201326592,
                               on = {h20 = <f_ns = 1400000, b_ns = 2100000, w_ns = 900000>}>
    #head = #pipeline.profile<"head", f_ns = 2400000, b_ns = 3600000, unsplittable, role = head>
    module attributes {pipeline.costs = [#mamba, #head]} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"kind of layer">:$kind,
    "int64_t":$f_ns, "int64_t":$b_ns, "int64_t":$w_ns,
    "int64_t":$param_bytes, "int64_t":$grad_bytes, "int64_t":$optimizer_bytes,
    "int64_t":$saved_b_bytes, "int64_t":$saved_w_bytes,
    "int64_t":$f_workspace_bytes, "int64_t":$b_workspace_bytes,
    "bool":$unsplittable,
    EnumParameter<Pipeline_Role>:$role,
    AttrParameter<"::mlir::DictionaryAttr", "TimesAttr of each device kind">:$on
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The times on a device of `device_kind`, if they differ.
    std::optional<TimesAttr> getTimesOn(llvm::StringRef device_kind) const;
  }];
}

def Pipeline_MetricsAttr : Pipeline_Attr<"Metrics", "metrics"> {
  let summary = "What a schedule is predicted to reach.";
  let description = [{
    `makespan_ns` is the time of one step, `bound_ns` what no plan can beat and
    `bound` the argument that gives it, `bubble_permille` the idle share of all
    devices. The values are a record of the pass that wrote them;
    `pipeline-annotate-metrics{check}` compares them with the simulator.

    ```mlir
    module attributes {pipeline.metrics = #pipeline.metrics<makespan_ns = 53378000, bound_ns = 51200000,
                                                   bound = "indivisible-work", bubble_permille = 45>} {}
    ```
  }];
  let parameters = (ins
    "int64_t":$makespan_ns,
    "int64_t":$bound_ns,
    StringRefParameter<"name of the bound">:$bound,
    "int64_t":$bubble_permille
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Pipeline_ItemsAttr : Pipeline_Attr<"Items", "items"> {
  let summary = "The ordered work of one device.";
  let description = [{
    Each item is one word, kind, stage and micro-batch: `F2.5` is the forward
    pass of stage 2 on micro-batch 5.

    | kind | work | runs on |
    | ---- | ---- | ------- |
    | `F`  | forward | compute |
    | `B`  | gradient of the input | compute |
    | `W`  | gradient of the weights | compute |
    | `BW` | whole backward | compute |
    | `SF`, `RF` | send, receive an activation | channel |
    | `SB`, `RB` | send, receive a gradient | channel |

    A send names the stage that produces, a receive the stage that consumes; a
    receive may name its staging slot as a third number. A whole program is one
    attribute, because a schedule can have hundreds of thousands of items.

    ```mlir
    module attributes {pipeline.order = #pipeline.items<[RF1.0.0, F1.0, B1.0, SB1.0, W1.0]>} {}
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::octopipe::WorkItem", "items in order">:$items
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pipeline_TransfersAttr : Pipeline_Attr<"Transfers", "transfers"> {
  let summary = "How the sends and receives of a schedule are to be read.";
  let description = [{
    `slots` is the number of staging buffers of each channel. A channel joins a
    directed pair of devices; with `channel_per_kind`, one carries activations
    and another gradients. With `group`, a send and a receive that two devices
    exchange next to each other are one call. The rest, which message goes where
    in its channel and how many bytes it has, follows from the programs and the
    model.

    ```mlir
    module attributes {pipeline.transfers = #pipeline.transfers<slots = 2, group = true>} {}
    ```
  }];
  let parameters = (ins
    "int64_t":$slots,
    DefaultValuedParameter<"bool", "false">:$channel_per_kind,
    DefaultValuedParameter<"bool", "false">:$group
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_ATTRS_TD_
