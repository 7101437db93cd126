// octopipe policies: the table of named schedules, as the library holds it.

#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"
#include "compiler/schedule/named_schedules.h"
#include "tools/octopipe/command.h"

namespace octopipe {
namespace {

absl::Status PrintPolicies() {
  for (const NamedSchedule& schedule : NamedSchedules()) {
    std::printf("%s", absl::StrFormat("%-17s %s\n%-17s Applies to: %s.\n"
                                      "%-17s Source: %s.\n\n",
                                      schedule.name, schedule.summary, "",
                                      schedule.applies, "", schedule.source)
                          .c_str());
  }
  std::printf(
      "%-17s Event-driven list scheduling of whatever the devices can start, "
      "within their memory.\n%-17s Applies to: any stages and devices.\n",
      "list", "");
  return absl::OkStatus();
}

}  // namespace

void AddPoliciesCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "policies", "List the scheduling policies, with their sources");
  command->callback([action] { *action = PrintPolicies; });
}

}  // namespace octopipe
