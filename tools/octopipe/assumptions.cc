#include "tools/octopipe/assumptions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/base/quantity_text.h"

namespace octopipe {
namespace {

// "450 GB/s", "1,500 bytes/us".
std::string RateText(int64_t bytes_per_us) {
  return bytes_per_us % 1000 == 0
             ? absl::StrCat(CountText(bytes_per_us / 1000), " GB/s")
             : absl::StrCat(CountText(bytes_per_us), " bytes/us");
}

std::string RangeText(const std::string& least, const std::string& most) {
  return least == most ? least : absl::StrCat(least, " to ", most);
}

bool SendsBytes(const Problem& problem) {
  return std::any_of(
      problem.layers.begin(), problem.layers.end(), [](const Layer& layer) {
        return layer.output_bytes > 0 || layer.output_grad_bytes > 0;
      });
}

// What a byte costs on `links`, after their latency.
std::string BandwidthText(const Problem& problem) {
  const auto [slowest, fastest] =
      std::minmax_element(problem.links.begin(), problem.links.end(),
                          [](const Link& a, const Link& b) {
                            return a.bytes_per_us < b.bytes_per_us;
                          });
  if (fastest->bytes_per_us == 0) return ", whatever their size";
  if (!SendsBytes(problem)) return "; tensors have no bytes given";
  if (slowest->bytes_per_us == 0) {
    return absl::StrCat(" and their bytes at up to ",
                        RateText(fastest->bytes_per_us), ", or free");
  }
  return absl::StrCat(" and their bytes at ",
                      RangeText(RateText(slowest->bytes_per_us),
                                RateText(fastest->bytes_per_us)));
}

std::string TransferText(const Problem& problem) {
  if (problem.links.empty()) return "transfers free, no links given";
  const auto [nearest, farthest] = std::minmax_element(
      problem.links.begin(), problem.links.end(),
      [](const Link& a, const Link& b) { return a.latency_ns < b.latency_ns; });
  const size_t devices = problem.devices.size();
  return absl::StrCat("transfers take ",
                      RangeText(NanosText(nearest->latency_ns),
                                NanosText(farthest->latency_ns)),
                      BandwidthText(problem),
                      problem.links.size() < devices * (devices - 1)
                          ? ", free without a link"
                          : "");
}

std::string MemoryText(const Problem& problem) {
  const Bytes capacity = CommonCapacity(problem);
  if (!HasMemory(problem)) {
    return absl::StrCat("memory not counted, layers have no bytes given",
                        capacity != 0 ? ": the limit has no effect" : "");
  }
  if (capacity == 0) return "memory not limited";
  if (capacity < 0) return "memory limited as in the table";
  return absl::StrCat("memory limited to ", BytesText(capacity), " a device");
}

}  // namespace

bool HasMemory(const Problem& problem) {
  return std::any_of(
      problem.layers.begin(), problem.layers.end(),
      [](const Layer& layer) { return !(layer.cost.memory == LayerMemory()); });
}

Bytes CommonCapacity(const Problem& problem) {
  const Bytes first = problem.devices.front().memory_bytes;
  const bool same = std::all_of(
      problem.devices.begin(), problem.devices.end(),
      [&](const Device& device) { return device.memory_bytes == first; });
  return same ? first : -1;
}

std::vector<std::string> Assumptions(const Problem& problem) {
  std::vector<std::string> phrases;
  if (problem.devices.size() > 1) phrases.push_back(TransferText(problem));
  phrases.push_back(problem.launch_overhead_ns == 0
                        ? "no launch overhead"
                        : absl::StrCat(NanosText(problem.launch_overhead_ns),
                                       " launch overhead an item"));
  phrases.push_back(MemoryText(problem));
  return phrases;
}

}  // namespace octopipe
