// The passes of OctoPipe, in the order of the lowering.

#ifndef OCTOPIPE_COMPILER_PASSES_PASSES_TD_
#define OCTOPIPE_COMPILER_PASSES_PASSES_TD_

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Layer graph -> partitioned
//===----------------------------------------------------------------------===//

def PartitionPass : Pass<"pipeline-partition", "::mlir::ModuleOp"> {
  let summary = "Groups the layers of each model into stages";
  let description = [{
    Wraps contiguous runs of `pipeline.layer` in `pipeline.stage`. The cut is
    found by `compiler/search/partition_dp.h`; `min-max` is exact. Stage loads are
    those of the devices that `strategy` would give the stages, so devices of
    different speed and memory get stages of different size.

    Fails if the model is partitioned already or has fewer layers than stages.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    #head = #pipeline.profile<"head", role = head, f_ns = 200, b_ns = 200, w_ns = 200>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
    }
    pipeline.model @m on @node micro_batches 4 {
      %0 = pipeline.layer "block.0"() #block : () -> tensor<8xbf16>
      %1 = pipeline.layer "block.1"(%0) #block : (tensor<8xbf16>) -> tensor<8xbf16>
      pipeline.layer "head"(%1) #head : (tensor<8xbf16>) -> ()
      pipeline.yield
    }
    ```

    Output:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    #head = #pipeline.profile<"head", role = head, f_ns = 200, b_ns = 200, w_ns = 200>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
    }
    pipeline.model @m on @node micro_batches 4 {
      %0 = pipeline.stage 0 () -> tensor<8xbf16> {
        %1 = pipeline.layer "block.0"() #block : () -> tensor<8xbf16>
        %2 = pipeline.layer "block.1"(%1) #block : (tensor<8xbf16>) -> tensor<8xbf16>
        pipeline.yield %2 : tensor<8xbf16>
      }
      pipeline.stage 1 (%in = %0 : tensor<8xbf16>) {
        pipeline.layer "head"(%in) #head : (tensor<8xbf16>) -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "int", "0",
           "Stages to form; 0 means one per device of the cluster.">,
    Option<"objective", "objective", "::octopipe::PartitionObjective",
           "::octopipe::PartitionObjective::kMinMax",
           "What the cut minimises.", [{::octopipe::PartitionObjectiveValues()}]>,
    ListOption<"boundaries", "boundaries", "int",
               "First layer of every stage but stage 0, ascending.">,
    Option<"strategy", "strategy", "::octopipe::PlacementStrategy",
           "::octopipe::PlacementStrategy::kLoop",
           "The placement that stage loads are taken for.",
           [{::octopipe::PlacementStrategyValues()}]>,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

//===----------------------------------------------------------------------===//
// Partitioned -> placed
//===----------------------------------------------------------------------===//

def PlacePass : Pass<"pipeline-place", "::mlir::ModuleOp"> {
  let summary = "Gives each stage its device";
  let description = [{
    Adds `on @device` to every stage. `loop` puts stage s on device s mod D, `v`
    goes back and forth (0 1 1 0), `balanced` minimises the load of the busiest
    device, `given` takes `map`.

    Fails if the model is not partitioned or is placed already.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.stage 0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```

    Output:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::octopipe::PlacementStrategy",
           "::octopipe::PlacementStrategy::kLoop", "How stages meet devices.",
           [{::octopipe::PlacementStrategyValues()}]>,
    ListOption<"map", "map", "int",
               "Device of each stage, for strategy=given.">,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

//===----------------------------------------------------------------------===//
// Placed -> scheduled
//===----------------------------------------------------------------------===//

def SchedulePass : Pass<"pipeline-schedule", "::mlir::ModuleOp"> {
  let summary = "Orders the work of each device";
  let description = [{
    Adds a `pipeline.schedule` with one `pipeline.program` per device. `policy`
    is a named schedule of `compiler/schedule/named_schedules.h` or `list`, the
    event-driven list scheduler of `compiler/simulator/list_scheduler.h`, which
    alone takes devices' memory and `split-backward` into account. The order is
    verified before it is written.

    Fails if the model is not placed or is scheduled already, if the policy does
    not apply to its stages, or if the order does not fit the devices' memory.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```

    Output:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    pipeline.schedule @m_plan of @m policy "1f1b" {
      pipeline.program @gpu0 [F0.0, BW0.0, F0.1, BW0.1]
    }
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"1f1b\"",
           "A named schedule or a list policy; octopipe policies lists them.">,
    Option<"splitBackward", "split-backward", "::octopipe::BackwardSplit",
           "::octopipe::BackwardSplit::kAuto",
           "Whether policy=list splits the backward.",
           [{::octopipe::BackwardSplitValues()}]>,
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0",
           "Memory of every device; 0 means what the cluster says.">,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

//===----------------------------------------------------------------------===//
// Scheduled -> with transfers
//===----------------------------------------------------------------------===//

def InsertTransfersPass : Pass<"pipeline-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "Puts sends and receives into the programs";
  let description = [{
    Adds a send and a receive for every tensor that crosses from one device to
    another, to each schedule that has none, and proves that no timing can make
    the devices wait for one another for ever; see
    `compiler/transfers/insert_transfers.h` and `deadlock_proof.h`. Compute items
    stay in their order. A send stands right behind the item that makes its
    tensor; a receive `lookahead` compute items ahead of the one that reads it,
    later where its slot or the device's memory is not free by then, earlier
    where devices would hang.

    Fails if the model is not scheduled or has its transfers already, or if the
    slots or the memory are too few.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
      pipeline.device @gpu1 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      %s0 = pipeline.stage 0 on @gpu0 () -> tensor<8xbf16> {
        %0 = pipeline.layer "block.0"() #block : () -> tensor<8xbf16>
        pipeline.yield %0 : tensor<8xbf16>
      }
      pipeline.stage 1 on @gpu1 (%in = %s0 : tensor<8xbf16>) {
        pipeline.layer "block.1"(%in) #block : (tensor<8xbf16>) -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    pipeline.schedule @m_plan of @m policy "1f1b" {
      pipeline.program @gpu0 [F0.0, F0.1, BW0.0, BW0.1]
      pipeline.program @gpu1 [F1.0, BW1.0, F1.1, BW1.1]
    }
    ```

    Output, of the schedule:
    ```
    pipeline.schedule @m_plan of @m policy "1f1b" transfers <slots = 2> {
      pipeline.program @gpu0 [F0.0, SF0.0, RB0.0.0, F0.1, SF0.1, RB0.1.1, BW0.0, BW0.1]
      pipeline.program @gpu1 [RF1.0.0, F1.0, RF1.1.1, BW1.0, SB1.0, F1.1, BW1.1, SB1.1]
    }
    ```
  }];
  let options = [
    Option<"slots", "slots", "int", "2", "Receive buffers of each channel.">,
    Option<"lookahead", "lookahead", "int", "1",
           "Compute items between the post of a receive and its reader.">,
    Option<"channels", "channels", "::octopipe::ChannelSharing",
           "::octopipe::ChannelSharing::kPair",
           "Which messages share a channel.",
           [{::octopipe::ChannelSharingValues()}]>,
    Option<"group", "group", "bool", "false",
           "Fuse a send and a receive that two devices exchange.">,
    Option<"deferSends", "defer-sends", "bool", "true",
           "Where slots are too few, let a send wait behind compute items.">,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

//===----------------------------------------------------------------------===//
// Layer graph -> scheduled, at once
//===----------------------------------------------------------------------===//

def SweepPass : Pass<"pipeline-sweep", "::mlir::ModuleOp"> {
  let summary = "Takes the best of all policies over several stage counts";
  let description = [{
    Partitions, places and schedules each model in one go: every policy that
    applies, at several stage counts, partitions and placements, each simulated;
    the shortest that fits in memory is written. See
    `compiler/search/policy_sweep.h`. An option that is given is not varied.

    The model must be a layer graph; `pipeline-strip-plan` makes it one.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.layer "block.0"() #block : () -> ()
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"\"",
           "A named schedule or a list policy; empty tries all.">,
    Option<"numStages", "num-stages", "int", "0",
           "Stages; 0 tries several counts.">,
    Option<"objective", "objective", "std::string", "\"\"",
           "even, min-max, min-variance or given; empty tries the first three.">,
    ListOption<"boundaries", "boundaries", "int",
               "First layer of every stage but stage 0, for objective=given.">,
    Option<"strategy", "strategy", "std::string", "\"\"",
           "loop, v, balanced or given; empty tries the first three.">,
    ListOption<"map", "map", "int",
               "Device of each stage, for strategy=given.">,
    Option<"splitBackward", "split-backward", "::octopipe::BackwardSplit",
           "::octopipe::BackwardSplit::kAuto",
           "Whether to split the backward; never and always leave out the "
           "policies that do otherwise.",
           [{::octopipe::BackwardSplitValues()}]>,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

def TunePass : Pass<"pipeline-tune", "::mlir::ModuleOp"> {
  let summary = "Searches for a short plan over partition, placement and order";
  let description = [{
    Partitions, places and schedules each model in one search that starts from
    the best of all policies; see `compiler/search/tuner.h`. It ends with the
    first of `evaluations` and `time-limit-ms`, one of which is needed, or at
    `target-gap-ppm`. The same seed and evaluations give the same plan on any
    number of threads; the schedule's policy names both, so that a plan that a
    time limit ended can be made again.

    Three kinds of move can be switched off: `partition` balances the load,
    `placement` arranges stages against idle warm-ups and cool-downs, `order`
    reorders work against idle time in between.

    The rest keeps the search to a part of all plans: a cut that is given,
    layers that form a stage or run on a device, whole backwards, or what the
    runtime `target` can hold; see `compiler/search/search_space.h` and
    `compiler/search/runtime_target.h`. Targets with an order of their own leave
    the cut to search for. Layers and devices go by name or index.

    The model must be a layer graph; `pipeline-strip-plan` makes it one.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 2 {
      pipeline.layer "block.0"() #block : () -> ()
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"evaluations", "evaluations", "int64_t", "0",
           "Schedules to evaluate, those of the sweep included; 0: no limit.">,
    Option<"timeLimitMs", "time-limit-ms", "int64_t", "0",
           "Time to search; 0: no limit.">,
    Option<"targetGapPpm", "target-gap-ppm", "int64_t", "0",
           "Stop at this gap to the lower bound, in 1/1000000.">,
    Option<"seed", "seed", "uint64_t", "0", "Seed of the search.">,
    Option<"threads", "threads", "int", "0",
           "Threads; 0: one for each processor. They do not change the plan.">,
    Option<"partition", "partition", "bool", "true", "Move boundaries.">,
    Option<"placement", "placement", "bool", "true", "Move stages.">,
    Option<"order", "order", "bool", "true", "Move work.">,
    Option<"splitBackward", "split-backward", "bool", "true",
           "Split the backward where that helps.">,
    Option<"from", "from", "std::string", "\"\"",
           "Schedule file to start from as well.">,
    Option<"target", "target", "std::string", "\"\"",
           "Runtime that shall run the plan: native, torch, torchtitan, "
           "megatron or deepspeed.">,
    ListOption<"boundaries", "boundaries", "int",
               "The cut: the first layer of each stage but stage 0.">,
    ListOption<"pinStage", "pin-stage", "std::string",
               "FIRST..LAST: these layers form a stage.">,
    ListOption<"pinDevice", "pin-device", "std::string",
               "FIRST..LAST=DEVICE: these layers run there.">,
    ListOption<"noSplit", "no-split", "std::string",
               "Layers whose backward stays whole.">,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

//===----------------------------------------------------------------------===//
// At any level
//===----------------------------------------------------------------------===//

def AnnotateMetricsPass : Pass<"pipeline-annotate-metrics", "::mlir::ModuleOp"> {
  let summary = "Writes makespan, bound and bubbles beside each schedule";
  let description = [{
    Simulates every `pipeline.schedule` and stores `metrics<…>` on it. With
    `check`, compares instead, and fails where the stored metrics differ.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 1 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    pipeline.schedule @m_plan of @m {
      pipeline.program @gpu0 [F0.0, BW0.0]
    }
    ```
  }];
  let options = [
    Option<"check", "check", "bool", "false",
           "Compare with the stored metrics instead of storing them.">,
  ];
  let dependentDialects = ["::octopipe::pipeline::PipelineDialect"];
}

def VerifyPass : Pass<"pipeline-verify", "::mlir::ModuleOp"> {
  let summary = "Checks everything that needs the whole module";
  let description = [{
    Reports every offence of each model and its schedule: data flow over all
    devices, deadlock, memory, costs, and, where the schedule has its transfers,
    all that `compiler/transfers/deadlock_proof.h` proves. The verifiers of the ops have checked by
    then what one op can see. With a `phase` other than `auto`, fails as well if
    a model is at another level.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 1 {
      pipeline.layer "block.0"() #block : () -> ()
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"phase", "phase", "::octopipe::Phase", "::octopipe::Phase::kAuto",
           "The level that every model must be at.",
           [{::octopipe::PhaseValues()}]>,
  ];
}

def StripPlanPass : Pass<"pipeline-strip-plan", "::mlir::ModuleOp"> {
  let summary = "Takes a plan back, down to a level";
  let description = [{
    The inverse of the lowering, for tests and for planning again: removes
    transfers, then schedules, then placements, then stages, until every model is at `to`. A
    model that is at `to` or below stays as it is.

    Input:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 1 {
      pipeline.stage 0 on @gpu0 () {
        pipeline.layer "block.0"() #block : () -> ()
        pipeline.yield
      }
      pipeline.yield
    }
    ```

    Output:
    ```mlir
    #block = #pipeline.profile<"block", f_ns = 100, b_ns = 100, w_ns = 100>
    pipeline.cluster @node {
      pipeline.device @gpu0 kind "h100"
    }
    pipeline.model @m on @node micro_batches 1 {
      pipeline.layer "block.0"() #block : () -> ()
      pipeline.yield
    }
    ```
  }];
  let options = [
    Option<"to", "to", "::octopipe::Phase", "::octopipe::Phase::kGraph",
           "The level to go back to.", [{::octopipe::PhaseValues()}]>,
  ];
}

#endif  // OCTOPIPE_COMPILER_PASSES_PASSES_TD_
