// Flags that more than one subcommand takes.

#ifndef OCTOPIPE_TOOLS_OCTOPIPE_IMPORT_FLAGS_H_
#define OCTOPIPE_TOOLS_OCTOPIPE_IMPORT_FLAGS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "compiler/import/import_profile.h"
#include "compiler/schedule/problem.h"

namespace octopipe {

// --round-ns, --backward-split-permille, --activation-bytes-per-layer,
// --param-bytes-per-layer, --output-bytes-per-layer, --fold-ends.
void AddImportFlags(CLI::App& command, ImportOptions* options);

struct ClusterFlags {
  int devices = 0;
  std::string cluster;  // a file or "<nodes>x<machine>"
  Bytes memory_bytes = 0;
  Nanos hop_latency_ns = 0;
  int64_t bytes_per_us = 0;
};

// --devices, --cluster, --memory-bytes, --hop-latency-ns, --bytes-per-us.
void AddClusterFlags(CLI::App& command, ClusterFlags* flags);

// Gives `problem` the devices and links that the flags describe. Without
// --devices and --cluster its own stay, with what --memory-bytes and
// --hop-latency-ns say.
absl::Status ApplyClusterFlags(const ClusterFlags& flags, Problem* problem);

}  // namespace octopipe

#endif  // OCTOPIPE_TOOLS_OCTOPIPE_IMPORT_FLAGS_H_
