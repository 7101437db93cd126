// octopipe policies: the tables of policies, as the library holds them.

#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/search/list_policies.h"
#include "tools/octopipe/command.h"

namespace octopipe {
namespace {

absl::Status PrintPolicies() {
  for (const NamedSchedule& schedule : NamedSchedules()) {
    std::printf("%s", absl::StrFormat("%-18s %s\n%-18s Applies to: %s.\n"
                                      "%-18s Source: %s.\n\n",
                                      schedule.name, schedule.summary, "",
                                      schedule.applies, "", schedule.source)
                          .c_str());
  }
  for (const ListPolicy& list : ListPolicies()) {
    std::printf("%s", absl::StrFormat("%-18s List scheduling: %s.\n%-18s "
                                      "Applies to: any stages and devices.\n\n",
                                      list.name, list.summary, "")
                          .c_str());
  }
  return absl::OkStatus();
}

}  // namespace

void AddPoliciesCommand(CLI::App& app, Action* action) {
  CLI::App* command = app.add_subcommand(
      "policies", "List the scheduling policies, with their sources");
  command->callback([action] { *action = PrintPolicies; });
}

}  // namespace octopipe
