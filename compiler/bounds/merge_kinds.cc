#include <algorithm>
#include <limits>
#include <utility>

#include "absl/numeric/int128.h"
#include "compiler/bounds/packing.h"

namespace octopipe {
namespace {

// More kinds than this are merged with their neighbours in order alone; and
// more than this two by two, whatever they lose.
constexpr size_t kAllPairs = 48;
constexpr size_t kSearched = 1024;
constexpr int64_t kScale = 1 << 20;

bool NeedsNothing(const ItemKind& kind) {
  return std::all_of(kind.needs.begin(), kind.needs.end(), [](const auto& n) {
    return std::all_of(n.begin(), n.end(), [](int64_t v) { return v == 0; });
  });
}

// The vectors of counts of all kinds but the most numerous, at most `limit`.
int64_t Vectors(const std::vector<ItemKind>& kinds, int64_t limit) {
  absl::int128 vectors = 1;
  int largest = 0;
  for (const ItemKind& kind : kinds) {
    vectors *= std::min(kind.count, largest) + 1;
    largest = std::max(largest, kind.count);
    if (vectors > limit) return limit;
  }
  return static_cast<int64_t>(vectors);
}

using Needs = std::vector<std::vector<int64_t>>;

Needs Totals(const std::vector<ItemKind>& kinds) {
  Needs totals = kinds[0].needs;
  for (auto& row : totals) std::fill(row.begin(), row.end(), 0);
  for (const ItemKind& kind : kinds) {
    for (size_t t = 0; t < totals.size(); ++t) {
      for (size_t r = 0; r < totals[t].size(); ++r) {
        totals[t][r] += kind.count * kind.needs[t][r];
      }
    }
  }
  return totals;
}

// What a and b lose as one, in shares of the totals.
int64_t Loss(const ItemKind& a, const ItemKind& b, const Needs& totals) {
  int64_t loss = 0;
  for (size_t t = 0; t < totals.size(); ++t) {
    for (size_t r = 0; r < totals[t].size(); ++r) {
      if (totals[t][r] == 0) continue;
      const int64_t over = a.needs[t][r] - b.needs[t][r];
      const absl::int128 lost = over > 0 ? absl::int128(over) * a.count
                                         : absl::int128(-over) * b.count;
      loss += static_cast<int64_t>(lost * kScale / totals[t][r]);
    }
  }
  return loss;
}

void MergeInto(ItemKind& to, const ItemKind& from) {
  to.count += from.count;
  for (size_t t = 0; t < to.needs.size(); ++t) {
    for (size_t r = 0; r < to.needs[t].size(); ++r) {
      to.needs[t][r] = std::min(to.needs[t][r], from.needs[t][r]);
    }
  }
}

void MergeCheapestPair(const Needs& totals, std::vector<ItemKind>& kinds) {
  int64_t least = std::numeric_limits<int64_t>::max();
  size_t first = 0, second = 1;
  for (size_t a = 0; a < kinds.size(); ++a) {
    const size_t end =
        kinds.size() > kAllPairs ? std::min(a + 2, kinds.size()) : kinds.size();
    for (size_t b = a + 1; b < end; ++b) {
      const int64_t loss = Loss(kinds[a], kinds[b], totals);
      if (loss >= least) continue;
      least = loss;
      first = a;
      second = b;
    }
  }
  MergeInto(kinds[first], kinds[second]);
  kinds.erase(kinds.begin() + second);
}

void MergeNeighbours(std::vector<ItemKind>& kinds) {
  const size_t pairs = kinds.size() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    MergeInto(kinds[2 * i], kinds[2 * i + 1]);
    if (i > 0) kinds[i] = std::move(kinds[2 * i]);
  }
  if (kinds.size() % 2 == 1) kinds[pairs] = std::move(kinds.back());
  kinds.resize((kinds.size() + 1) / 2);
}

}  // namespace

std::vector<ItemKind> MergeKinds(std::vector<ItemKind> kinds,
                                 int64_t most_vectors) {
  std::sort(kinds.begin(), kinds.end());
  std::vector<ItemKind> merged;
  for (ItemKind& kind : kinds) {
    if (kind.count == 0 || NeedsNothing(kind)) continue;
    if (!merged.empty() && merged.back().needs == kind.needs) {
      merged.back().count += kind.count;
    } else {
      merged.push_back(std::move(kind));
    }
  }
  if (merged.empty()) return merged;
  const Needs totals = Totals(merged);
  if (Vectors(merged, most_vectors + 1) > most_vectors) {
    while (merged.size() > kSearched) MergeNeighbours(merged);
  }
  while (merged.size() > 1 &&
         Vectors(merged, most_vectors + 1) > most_vectors) {
    MergeCheapestPair(totals, merged);
  }
  return merged;
}

}  // namespace octopipe
