#include "compiler/transfers/channel_numbers.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace octopipe {
namespace {

class ChannelNumbers {
 public:
  explicit ChannelNumbers(bool per_kind) : per_kind_(per_kind) {}

  int Of(int from, int to, bool is_gradient, std::vector<Channel>& channels) {
    const ChannelKind kind = !per_kind_    ? ChannelKind::kBoth
                             : is_gradient ? ChannelKind::kGradient
                                           : ChannelKind::kActivation;
    const auto [it, is_new] = numbers_.try_emplace(
        {std::pair(from, to), static_cast<int>(kind)}, channels.size());
    if (is_new) channels.push_back({from, to, kind});
    return it->second;
  }

 private:
  bool per_kind_;
  absl::flat_hash_map<std::pair<std::pair<int, int>, int>, int> numbers_;
};

}  // namespace

std::vector<EdgeChannels> NumberChannels(const StageTable& table, bool per_kind,
                                         std::vector<Channel>& channels) {
  ChannelNumbers numbers(per_kind);
  std::vector<EdgeChannels> routes(table.edges.size());
  for (size_t e = 0; e < table.edges.size(); ++e) {
    const int from = table.stages[table.edges[e].from].device;
    const int to = table.stages[table.edges[e].to].device;
    if (from == to) continue;
    routes[e].activation = numbers.Of(from, to, false, channels);
    if (table.edges[e].needs_grad) {
      routes[e].gradient = numbers.Of(to, from, true, channels);
    }
  }
  return routes;
}

}  // namespace octopipe
