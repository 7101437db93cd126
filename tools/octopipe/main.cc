// octopipe: plans, simulates and shows pipeline schedules.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "tools/octopipe/command.h"

int main(int argc, char** argv) {
  CLI::App app{
      "Plans pipeline-parallel training: layers into stages, stages onto "
      "devices, work into the order that each device runs it in."};
  app.name("octopipe");
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  app.footer(
      "Example:\n"
      "  octopipe plan profile.json --devices=4 --micro-batches=8 -o plan.pb\n"
      "  octopipe show plan.pb --programs\n");

  octopipe::Action action;
  octopipe::AddImportCommand(app, &action);
  octopipe::AddPlanCommand(app, &action);
  octopipe::AddSimulateCommand(app, &action);
  octopipe::AddShowCommand(app, &action);
  octopipe::AddPoliciesCommand(app, &action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }

  const absl::Status status = action();
  if (status.ok()) return 0;
  // A command that has said everything already returns an empty message.
  if (!status.message().empty()) {
    std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
  }
  return 1;
}
