#include "tools/octopipe/integer_flag.h"

#include <CLI/CLI.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace octopipe {

CLI::Option* InRange(CLI::Option* option, int64_t least, int64_t most) {
  return option->type_name("N")->check(
      [least, most](const std::string& text) -> std::string {
        int64_t value;
        if (absl::SimpleAtoi(text, &value) && value >= least && value <= most) {
          return "";
        }
        return absl::StrCat("expected a whole number from ", least, " to ",
                            most, ", got '", text, "'");
      });
}

}  // namespace octopipe
