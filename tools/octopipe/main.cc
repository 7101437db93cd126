// octopipe: plans, simulates and shows pipeline schedules.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/octopipe/command.h"

namespace {

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  std::string text = error.what();
  const std::vector<std::string> unread = app->remaining();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
      app->get_parent() == nullptr && !unread.empty()) {
    text = "unknown command '" + unread.front() + "'";
  }
  return "error: " + text + "; run with --help for what is accepted\n";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Plans pipeline-parallel training: layers into stages, stages onto "
      "devices, work into the order that each device runs it in."};
  app.name("octopipe");
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  app.failure_message(FailureMessage);
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
