// octopipe plan: from a model to a schedule in one step, the front of
// octopipe-opt's pipeline `pipeline-plan`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/schedule_proto.h"
#include "compiler/base/status_macros.h"
#include "compiler/base/units.h"
#include "compiler/passes/passes.h"
#include "compiler/translate/artifact_from_ir.h"
#include "compiler/translate/plan_to_ir.h"
#include "compiler/translate/problem_from_ir.h"
#include "compiler/translate/problem_to_ir.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "tools/octopipe/command.h"
#include "tools/octopipe/free_plan.h"
#include "tools/octopipe/import_flags.h"
#include "tools/octopipe/integer_flag.h"
#include "tools/octopipe/metrics_json.h"
#include "tools/octopipe/model_file.h"
#include "tools/octopipe/schedule_file.h"
#include "tools/octopipe/summary.h"
#include "tools/octopipe/tune_flags.h"

namespace octopipe {
namespace {

struct PlanArguments {
  std::string input;
  std::string output;
  std::string metrics;
  std::string mlir;
  bool textproto = false;
  bool quiet = false;
  ImportOptions import;
  ClusterFlags cluster;
  int64_t micro_batches = 0;
  int64_t launch_overhead_ns = -1;
  SweepPassOptions sweep;
  TuneFlags tune;
  absl::Status tune_flags;  // what CheckTuneFlags says
  std::vector<std::pair<std::string, std::string>> given;  // for the record
};

// A graph of layers on the cluster that the flags describe.
absl::Status Prepare(const PlanArguments& arguments, ModelFile& file) {
  pipeline::ModelOp model = file.model();
  EraseSchedules(model);
  ErasePlacement(model);
  ErasePartition(model);
  Problem problem = ProblemFromIr(model);
  OCTOPIPE_RETURN_IF_ERROR(ApplyClusterFlags(arguments.cluster, &problem));
  ClusterToIr(problem, model);
  mlir::Builder builder(model->getContext());
  if (arguments.micro_batches > 0) {
    model.setMicroBatches(arguments.micro_batches);
  }
  const int64_t overhead_ns = arguments.launch_overhead_ns >= 0
                                  ? arguments.launch_overhead_ns
                                  : problem.launch_overhead_ns;
  if (overhead_ns > 0) model.setLaunchOverheadNs(overhead_ns);
  return absl::OkStatus();
}

absl::Status RunPipeline(const PlanArguments& arguments, ModelFile& file) {
  mlir::PassManager manager(file.module()->getContext());
  if (IsTuned(arguments.tune)) {
    TunePassOptions options = TuneOptionsOf(arguments.tune);
    options.splitBackward =
        arguments.sweep.splitBackward != BackwardSplit::kNever;
    options.boundaries = arguments.sweep.boundaries;
    BuildTunePipeline(manager, options, WatchTuner(arguments.quiet));
  } else {
    BuildPlanPipeline(manager, arguments.sweep);
  }
  const bool failed = mlir::failed(manager.run(file.module()));
  EndProgress();
  // The passes have printed what is wrong.
  if (failed) {
    return absl::InvalidArgumentError("");
  }
  return absl::OkStatus();
}

absl::Status WritePlan(const PlanArguments& arguments, const Artifact& artifact,
                       ModelFile& file) {
  if (!arguments.output.empty()) {
    OCTOPIPE_ASSIGN_OR_RETURN(const std::string bytes,
                              EncodeSchedule(artifact, arguments.textproto));
    OCTOPIPE_RETURN_IF_ERROR(WriteFileAtomically(arguments.output, bytes));
  }
  if (!arguments.metrics.empty()) {
    OCTOPIPE_RETURN_IF_ERROR(
        WriteFileAtomically(arguments.metrics, MetricsJson(artifact)));
  }
  if (!arguments.mlir.empty()) {
    OCTOPIPE_RETURN_IF_ERROR(WriteFileAtomically(arguments.mlir, file.Text()));
  }
  const bool stdout_is_taken = arguments.output == "-" ||
                               arguments.metrics == "-" ||
                               arguments.mlir == "-";
  if (!arguments.quiet && !stdout_is_taken) {
    const auto cost = CostOfRestriction(
        artifact, arguments.tune,
        arguments.sweep.splitBackward != BackwardSplit::kNever);
    std::fputs(SummaryText(artifact, BaselineMakespan(artifact.problem),
                           TerminalWidth(), cost.value_or(""))
                   .c_str(),
               stdout);
  }
  return absl::OkStatus();
}

// Two outputs under one name would leave one of them.
absl::Status CheckOutputs(const PlanArguments& arguments) {
  const std::pair<absl::string_view, const std::string*> outputs[] = {
      {"--output", &arguments.output},
      {"--metrics", &arguments.metrics},
      {"--mlir", &arguments.mlir}};
  for (const auto& a : outputs) {
    for (const auto& b : outputs) {
      if (&a >= &b || a.second->empty() || *a.second != *b.second) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(a.first, " and ", b.first, " are both '", *a.second,
                       "'; give each its own file"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSearch(const PlanArguments& arguments) {
  OCTOPIPE_RETURN_IF_ERROR(arguments.tune_flags);
  if (IsTuned(arguments.tune) &&
      arguments.sweep.splitBackward == BackwardSplit::kAlways) {
    return absl::InvalidArgumentError(
        "--split-backward=always cannot be searched on from; choose auto or "
        "never");
  }
  return absl::OkStatus();
}

absl::Status RunPlan(const PlanArguments& arguments) {
  OCTOPIPE_RETURN_IF_ERROR(CheckOutputs(arguments));
  OCTOPIPE_RETURN_IF_ERROR(CheckSearch(arguments));
  OCTOPIPE_ASSIGN_OR_RETURN(std::unique_ptr<ModelFile> file,
                            ModelFile::Read(arguments.input, arguments.import));
  OCTOPIPE_RETURN_IF_ERROR(Prepare(arguments, *file));
  OCTOPIPE_RETURN_IF_ERROR(RunPipeline(arguments, *file));
  OCTOPIPE_ASSIGN_OR_RETURN(
      const Artifact artifact,
      ArtifactFromIr(file->model(), file->schedule(), arguments.given));
  return WritePlan(arguments, artifact, *file);
}

std::optional<BackwardSplit> FindSplit(const std::string& text) {
  if (text == "auto") return BackwardSplit::kAuto;
  if (text == "always") return BackwardSplit::kAlways;
  if (text == "never") return BackwardSplit::kNever;
  return std::nullopt;
}

void AddSearchFlags(CLI::App& command, SweepPassOptions* sweep) {
  const char* group = "Search (what is not given is tried)";
  command
      .add_option("--policy", sweep->policy,
                  "Scheduling policy; 'octopipe policies' lists them")
      ->group(group);
  InRange(command.add_option("--stages", sweep->numStages, "Number of stages"),
          1, std::numeric_limits<int>::max())
      ->group(group);
  command
      .add_option("--objective", sweep->objective,
                  "Partition: even, min-max, min-variance or given")
      ->group(group);
  command
      .add_option("--boundaries", sweep->boundaries,
                  "First layer of each stage but stage 0")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--strategy", sweep->strategy,
                  "Placement: loop, v, balanced or given")
      ->group(group);
  command
      .add_option("--map", sweep->map,
                  "Device of each stage, for --strategy=given")
      ->delimiter(',')
      ->group(group);
  command
      .add_option_function<std::string>(
          "--split-backward",
          [sweep](const std::string& text) {
            sweep->splitBackward = *FindSplit(text);
          },
          "Split the backward: auto, always or never")
      ->check([](const std::string& text) {
        return FindSplit(text) ? std::string()
                               : absl::StrCat(
                                     "expected auto, always or never, "
                                     "got '",
                                     text, "'");
      })
      ->group(group);
}

// The options that decided the plan, as they were given, sorted by name.
// Threads do not decide it.
std::vector<std::pair<std::string, std::string>> GivenOptions(
    const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name.rfind("--", 0) != 0 ||
        name == "--threads" || option->get_group() == "Output") {
      continue;
    }
    given.emplace_back(name.substr(2), absl::StrJoin(option->results(), ","));
  }
  std::sort(given.begin(), given.end());
  return given;
}

}  // namespace

void AddPlanCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "plan", "Plan a model: partition, placement and order, at once");
  auto arguments = std::make_shared<PlanArguments>();
  command
      ->add_option("MODEL", arguments->input,
                   "Layer graph (.mlir) or profile; - for standard input")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the schedule (.pb); - for standard output")
      ->group("Output");
  command
      ->add_option("--metrics", arguments->metrics,
                   "Write the metrics as JSON; - for standard output")
      ->group("Output");
  command
      ->add_option("--mlir", arguments->mlir,
                   "Write the scheduled model; - for standard output")
      ->group("Output");
  command
      ->add_flag("--textproto", arguments->textproto,
                 "Write the schedule as text")
      ->group("Output");
  command->add_flag("-q,--quiet", arguments->quiet, "Print no summary")
      ->group("Output");
  InRange(command->add_option("--micro-batches", arguments->micro_batches,
                              "Micro-batches of a step; default what the model "
                              "says"),
          1, kMaxTotal);
  InRange(
      command->add_option("--launch-overhead-ns", arguments->launch_overhead_ns,
                          "Host time to start an item, added to each"),
      0, kMaxTotal);
  AddClusterFlags(*command, &arguments->cluster);
  AddSearchFlags(*command, &arguments->sweep);
  AddTuneFlags(*command, &arguments->tune);
  AddImportFlags(*command, &arguments->import);
  command->footer(
      "Examples:\n"
      "  octopipe plan model.mlir --devices=4 --micro-batches=8 -o plan.pb\n"
      "  octopipe plan profile.json --cluster=1x8xh100 --micro-batches=32 \\\n"
      "      --output-bytes-per-layer=67108864 -o plan.pb\n"
      "  octopipe plan profile.json --devices=4 --micro-batches=8 \\\n"
      "      --time-limit=10s -o plan.pb\n"
      "  octopipe plan profile.json --devices=4 --micro-batches=8 \\\n"
      "      --policy=1f1b --objective=even --stages=4 --metrics=-\n");
  command->callback([arguments, command, action] {
    arguments->given = GivenOptions(*command);
    arguments->tune.fixed_cut = !arguments->sweep.boundaries.empty();
    arguments->tune_flags = CheckTuneFlags(*command, arguments->tune);
    *action = [arguments] { return RunPlan(*arguments); };
  });
}

}  // namespace octopipe
