#include "tools/octopipe/import_flags.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "compiler/artifact/cluster_groups.h"
#include "compiler/artifact/file_io.h"
#include "compiler/base/status_macros.h"
#include "compiler/base/units.h"
#include "compiler/import/cluster_file.h"
#include "tools/octopipe/integer_flag.h"

namespace octopipe {
namespace {

// "4x8xh100" is 4 nodes of the catalogue's machine "8xh100".
absl::StatusOr<Cluster> ReadCluster(const std::string& name) {
  const size_t times = name.find('x');
  int nodes;
  if (times != std::string::npos && name.find('x', times + 1) != name.npos &&
      absl::SimpleAtoi(name.substr(0, times), &nodes)) {
    return CatalogueCluster(absl::string_view(name).substr(times + 1), nodes);
  }
  OCTOPIPE_ASSIGN_OR_RETURN(const std::string contents, ReadFile(name));
  return ImportCluster(DisplayName(name), contents);
}

}  // namespace

void AddImportFlags(CLI::App& command, ImportOptions* options) {
  const char* group = "Costs";
  auto add = [&](const char* flag, auto* value, int64_t least, int64_t most,
                 const char* description) {
    return InRange(command.add_option(flag, *value, description), least, most)
        ->group(group);
  };
  add("--round-ns", &options->round_ns, 1, kMaxTotal,
      "Round every time to the nearest multiple")
      ->capture_default_str();
  add("--backward-split-permille", &options->backward_split_permille, 0, 1000,
      "Share of a backward measured as a whole that goes to the input gradient")
      ->capture_default_str();
  add("--activation-bytes-per-layer", &options->activation_bytes_per_layer, 0,
      kMaxTotal,
      "Activations of a block, kept until its weight gradient, where the "
      "profile has none");
  add("--param-bytes-per-layer", &options->param_bytes_per_layer, 0, kMaxTotal,
      "Parameters of a block, where the profile has none");
  add("--output-bytes-per-layer", &options->output_bytes_per_layer, 0,
      kMaxTotal, "Tensor between two layers, where the profile has none");
  command
      .add_flag("--fold-ends", options->fold_ends,
                "Make the embedding part of the first block and the head part "
                "of the last")
      ->group(group);
}

void AddClusterFlags(CLI::App& command, ClusterFlags* flags) {
  const char* group = "Cluster";
  auto add = [&](const char* flag, auto* value, int64_t least, int64_t most,
                 const char* description) {
    return InRange(command.add_option(flag, *value, description), least, most)
        ->group(group);
  };
  CLI::Option* devices = add("--devices", &flags->devices, 1,
                             kMaxGroupedDevices, "Equal devices to plan for");
  command
      .add_option("--cluster", flags->cluster,
                  "Cluster file (octopipe.v1.Cluster), or nodes of the "
                  "catalogue: 4x8xh100")
      ->excludes(devices)
      ->group(group);
  add("--memory-bytes", &flags->memory_bytes, 0, kMaxTotal,
      "Memory of every device; default what the cluster says, or no limit");
  add("--hop-latency-ns", &flags->hop_latency_ns, 0, kMaxTotal,
      "Latency between any two devices, with --devices");
  add("--bytes-per-us", &flags->bytes_per_us, 0, kMaxRate,
      "Bandwidth between any two devices, with --devices; default sizes cost "
      "nothing");
}

absl::Status ApplyClusterFlags(const ClusterFlags& flags, Problem* problem) {
  if (flags.devices != 0) {
    OCTOPIPE_ASSIGN_OR_RETURN(
        Cluster cluster,
        UniformCluster(flags.devices, flags.memory_bytes, flags.hop_latency_ns,
                       flags.bytes_per_us));
    problem->devices = std::move(cluster.devices);
    problem->links = std::move(cluster.links);
    return absl::OkStatus();
  }
  if (flags.hop_latency_ns != 0 || flags.bytes_per_us != 0) {
    return absl::InvalidArgumentError(
        "--hop-latency-ns and --bytes-per-us describe the links of --devices; "
        "write those of other clusters into the cluster file");
  }
  if (!flags.cluster.empty()) {
    OCTOPIPE_ASSIGN_OR_RETURN(Cluster cluster, ReadCluster(flags.cluster));
    problem->devices = std::move(cluster.devices);
    problem->links = std::move(cluster.links);
    problem->launch_overhead_ns = cluster.launch_overhead_ns;
  }
  if (flags.memory_bytes > 0) {
    for (Device& device : problem->devices) {
      device.memory_bytes = flags.memory_bytes;
    }
  }
  if (problem->devices.empty()) {
    return absl::InvalidArgumentError(
        "there are no devices to plan for; give --devices=N or --cluster=FILE");
  }
  return absl::OkStatus();
}

}  // namespace octopipe
