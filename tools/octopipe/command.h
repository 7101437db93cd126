// The subcommands of `octopipe`.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_COMMAND_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_COMMAND_H_

#include <CLI/App.hpp>
#include <functional>

#include "absl/status/status.h"

namespace octopipe {

// What a subcommand does once its arguments are parsed.
using Action = std::function<absl::Status()>;

// Each adds one subcommand with its options, help and examples to `app`, and
// sets `*action` when that subcommand was given.
void AddImportCommand(CLI::App& app, Action* action);
void AddPlanCommand(CLI::App& app, Action* action);
void AddSimulateCommand(CLI::App& app, Action* action);
void AddShowCommand(CLI::App& app, Action* action);
void AddPoliciesCommand(CLI::App& app, Action* action);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_COMMAND_H_
