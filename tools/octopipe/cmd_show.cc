// octopipe show: a schedule as text.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "compiler/artifact/schedule_proto.h"
#include "compiler/base/status_macros.h"
#include "tools/octopipe/command.h"
#include "tools/octopipe/schedule_file.h"
#include "tools/octopipe/summary.h"

namespace octopipe {
namespace {

struct ShowArguments {
  std::string input;
  bool programs = false;
  bool textproto = false;
};

absl::Status Show(const ShowArguments& arguments) {
  OCTOPIPE_ASSIGN_OR_RETURN(const Artifact artifact,
                            ReadSchedule(arguments.input));
  std::string text;
  if (arguments.textproto) {
    OCTOPIPE_ASSIGN_OR_RETURN(text, EncodeSchedule(artifact, /*text=*/true));
  } else if (arguments.programs) {
    text = ProgramsText(artifact, TerminalWidth());
  } else {
    text = SummaryText(artifact, BaselineMakespan(artifact.problem),
                       TerminalWidth());
  }
  std::fputs(text.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddShowCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("show", "Print a schedule: its summary, or more");
  auto arguments = std::make_shared<ShowArguments>();
  command
      ->add_option("FILE", arguments->input,
                   "Schedule (.pb, text or binary); - for standard input")
      ->required();
  CLI::Option* programs = command->add_flag(
      "--programs", arguments->programs, "Print each device's order instead");
  command
      ->add_flag("--textproto", arguments->textproto,
                 "Print the whole file as text instead")
      ->excludes(programs);
  command->footer("Example:\n  octopipe show plan.pb --programs\n");
  command->callback([arguments, action] {
    *action = [arguments] { return Show(*arguments); };
  });
}

}  // namespace octopipe
