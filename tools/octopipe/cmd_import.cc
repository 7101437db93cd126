// octopipe import: layer graphs from other formats.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "compiler/artifact/file_io.h"
#include "compiler/base/status_macros.h"
#include "tools/octopipe/command.h"
#include "tools/octopipe/import_flags.h"
#include "tools/octopipe/model_file.h"

namespace octopipe {
namespace {

struct ImportArguments {
  std::string input;
  std::string output = "-";
  ImportOptions options;
};

absl::Status ImportProfileFile(const ImportArguments& arguments) {
  OCTOPIPE_ASSIGN_OR_RETURN(
      std::unique_ptr<ModelFile> file,
      ModelFile::Read(arguments.input, arguments.options));
  return WriteFileAtomically(arguments.output, file->Text());
}

}  // namespace

void AddImportCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("import", "Make a layer graph from another format");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  octopipe import profile profile.json -o model.mlir\n");

  CLI::App* profile = command->add_subcommand(
      "profile", "From a profile: JSON or octopipe.v1.Profile");
  auto arguments = std::make_shared<ImportArguments>();
  profile->add_option("FILE", arguments->input, "Profile; - for standard input")
      ->required();
  profile
      ->add_option("-o,--output", arguments->output,
                   "Layer graph (.mlir); - for standard output")
      ->capture_default_str();
  AddImportFlags(*profile, &arguments->options);
  profile->footer(
      "Example:\n"
      "  octopipe import profile profile.json --round-ns=10000 -o "
      "model.mlir\n");
  profile->callback([arguments, action] {
    *action = [arguments] { return ImportProfileFile(*arguments); };
  });
}

}  // namespace octopipe
