#include "compiler/cost/device_catalogue.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace octopipe {
namespace {

constexpr Bytes kGb = 1'000'000'000;
constexpr int64_t kGbPerSecond = 1'000;  // in bytes per µs
constexpr int64_t kGbitPerSecond = 125;  // in bytes per µs

// Vendors state NVLink per device and for both directions together: half of it
// is what one direction carries.
constexpr Machine kMachines[] = {
    // https://www.nvidia.com/en-us/data-center/a100/ (80 GB, NVLink 600 GB/s)
    // https://docs.nvidia.com/dgx/dgxa100-user-guide/introduction-to-dgxa100.html
    // (eight single-port 200 Gb/s InfiniBand adapters for eight GPUs)
    {"8xa100", "a100", 8, 80 * kGb, 300 * kGbPerSecond, 200 * kGbitPerSecond,
     "NVIDIA HGX A100, 8 × A100 SXM4 80 GB, HDR InfiniBand"},
    // https://docs.nvidia.com/dgx/dgxb200-user-guide/introduction-to-dgxb200.html
    // (1,440 GB over eight GPUs, eight 400 Gb/s ports)
    // https://www.nvidia.com/en-us/data-center/nvlink/ (NVLink 1.8 TB/s)
    {"8xb200", "b200", 8, 180 * kGb, 900 * kGbPerSecond, 400 * kGbitPerSecond,
     "NVIDIA DGX B200, 8 × B200 180 GB, NDR InfiniBand"},
    // https://www.nvidia.com/en-us/data-center/h100/ (80 GB, NVLink 900 GB/s)
    // https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html
    // (eight 400 Gb/s ports)
    {"8xh100", "h100", 8, 80 * kGb, 450 * kGbPerSecond, 400 * kGbitPerSecond,
     "NVIDIA HGX H100, 8 × H100 SXM5 80 GB, NDR InfiniBand"},
    // https://www.nvidia.com/en-us/data-center/h200/ (141 GB, NVLink 900 GB/s)
    // Network as in the H100 machine: same board and adapters.
    {"8xh200", "h200", 8, 141 * kGb, 450 * kGbPerSecond, 400 * kGbitPerSecond,
     "NVIDIA HGX H200, 8 × H200 SXM5 141 GB, NDR InfiniBand"},
    // The vendor has no public datasheet. https://arxiv.org/abs/2505.09343
    // (an operator's account: NVLink 400 GB/s instead of the H100's 900 GB/s,
    // eight 400 Gb/s InfiniBand adapters a node); memory as the H100's.
    {"8xh800", "h800", 8, 80 * kGb, 200 * kGbPerSecond, 400 * kGbitPerSecond,
     "NVIDIA HGX H800, 8 × H800 SXM5 80 GB, NDR InfiniBand"},
};

}  // namespace

absl::Span<const Machine> MachineCatalogue() { return kMachines; }

absl::StatusOr<const Machine*> FindMachine(absl::string_view name) {
  for (const Machine& machine : kMachines) {
    if (machine.name == name) return &machine;
  }
  return absl::NotFoundError(absl::StrCat(
      "no machine '", name, "' in the catalogue; it has ",
      absl::StrJoin(kMachines, ", ", [](std::string* out, const Machine& m) {
        absl::StrAppend(out, m.name);
      })));
}

}  // namespace octopipe
