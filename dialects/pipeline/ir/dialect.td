#ifndef OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_TD_
#define OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_TD_

include "mlir/IR/DialectBase.td"

def Pipeline_Dialect : Dialect {
  let name = "pipeline";
  let cppNamespace = "::octopipe::pipeline";
  let summary = "Plans of pipeline-parallel training.";
  let description = [{
    A model is a graph of layers with costs; a cluster is a set of devices and
    links. A plan groups the layers into stages, places each stage on a device
    and gives every device a total order of its work. One dialect holds all
    stopping places of that way:

    | level       | what is in the model                      | written by |
    | ----------- | ----------------------------------------- | ---------- |
    | graph       | `pipeline.layer`                          | an importer |
    | partitioned | `pipeline.stage` around layers            | `pipeline-partition` |
    | placed      | every stage says `on @device`             | `pipeline-place` |
    | scheduled   | a `pipeline.schedule` beside the model    | `pipeline-schedule` |
    | transfers   | sends and receives among the items        | `pipeline-insert-transfers` |

    Each level parses, prints and verifies on its own. Durations are integer
    nanoseconds, sizes integer bytes. Start times are not in the IR: they follow
    from costs and order.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif  // OCTOPIPE_DIALECTS_PIPELINE_IR_DIALECT_TD_
