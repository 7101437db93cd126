// octopipe simulate: everything again, from the artifact alone.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "compiler/artifact/file_io.h"
#include "compiler/artifact/make_artifact.h"
#include "compiler/base/status_macros.h"
#include "tools/octopipe/command.h"
#include "tools/octopipe/jitter_flags.h"
#include "tools/octopipe/metrics_json.h"
#include "tools/octopipe/schedule_file.h"
#include "tools/octopipe/summary.h"

namespace octopipe {
namespace {

struct SimulateArguments {
  std::string input;
  std::string metrics;
  JitterFlags jitter;
};

absl::Status Simulate(const SimulateArguments& arguments) {
  OCTOPIPE_ASSIGN_OR_RETURN(const Artifact stored,
                            ReadSchedule(arguments.input));
  absl::StatusOr<Artifact> found =
      MakeArtifact(stored.problem, stored.plan, stored.made_by);
  if (!found.ok()) return InFile(DisplayName(arguments.input), found.status());
  OCTOPIPE_ASSIGN_OR_RETURN(const std::optional<JitterReport> jitter,
                            SamplePlan(*found, arguments.jitter));
  if (!arguments.metrics.empty()) {
    OCTOPIPE_RETURN_IF_ERROR(
        WriteFileAtomically(arguments.metrics, MetricsJson(*found, jitter)));
  }
  if (arguments.metrics != "-") {
    std::fputs(
        SummaryText(*found, BaselineMakespan(found->problem), TerminalWidth())
            .c_str(),
        stdout);
    if (jitter) std::fputs(("\n" + JitterText(*jitter)).c_str(), stdout);
  }
  const absl::Status same = CompareArtifacts(stored, *found);
  if (!same.ok()) return InFile(DisplayName(arguments.input), same);
  return absl::OkStatus();
}

}  // namespace

void AddSimulateCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "simulate",
      "Simulate a schedule again, from the file alone, and compare with what "
      "it says");
  auto arguments = std::make_shared<SimulateArguments>();
  command
      ->add_option("FILE", arguments->input,
                   "Schedule (.pb, text or binary); - for standard input")
      ->required();
  command->add_option("--metrics", arguments->metrics,
                      "Write the metrics as JSON; - for standard output");
  AddJitterFlags(*command, &arguments->jitter);
  command->footer(
      "Exits with 1 if the file is not valid or its metrics cannot be "
      "reproduced.\n"
      "Examples:\n"
      "  octopipe simulate plan.pb --metrics=metrics.json\n"
      "  octopipe simulate plan.pb --jitter=5% --samples=1000 --seed=0\n");
  command->callback([arguments, action] {
    *action = [arguments] { return Simulate(*arguments); };
  });
}

}  // namespace octopipe
