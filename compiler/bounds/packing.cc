#include "compiler/bounds/packing.h"

#include <algorithm>
#include <array>
#include <utility>

namespace octopipe {
namespace {

constexpr int32_t kUnreachable = -(1 << 30);

// For each vector of counts of the kinds but the last, the most of the last
// kind that can be packed together with at least those counts.
using Table = std::vector<int32_t>;

class Packer {
 public:
  Packer(std::vector<ItemKind> kinds, int64_t& budget)
      : kinds_(std::move(kinds)), budget_(budget) {
    // The most numerous kind comes last and the next of them is contiguous.
    std::stable_sort(
        kinds_.begin(), kinds_.end(),
        [](const ItemKind& a, const ItemKind& b) { return a.count < b.count; });
    if (kinds_.size() < 2)
      kinds_.insert(kinds_.begin(), 2 - kinds_.size(), ItemKind());
    stride_.resize(kinds_.size() - 1);
    for (int k = static_cast<int>(stride_.size()) - 1; k >= 0; --k) {
      stride_[k] = size_;
      size_ *= kinds_[k].count + 1;
    }
  }

  Fit Run(const BinChoices& bins) {
    // tables[node][1]: the key item is packed.
    std::vector<std::array<Table, 2>> tables(bins.nodes);
    tables[0][0].assign(size_, kUnreachable);
    tables[0][0][0] = 0;
    int done = 0;  // nodes from which no further step goes
    for (const BinChoices::Step& step : bins.steps) {
      for (; done < step.from; ++done) tables[done] = {};
      auto& from = tables[step.from];
      auto& to = tables[step.to];
      FindFillings(step.bin.type, step.bin.room);
      AddFillings(from[0], to[0]);
      AddFillings(from[1], to[1]);
      FindFillings(step.bin.type, step.bin.room_with_key);
      AddFillings(from[0], to[1]);
      if (budget_ < 0) return Fit::kTooMuchWork;
      if (!to[1].empty() && to[1].back() >= kinds_.back().count) {
        return Fit::kFits;
      }
    }
    return Fit::kDoesNotFit;
  }

 private:
  int64_t Need(int kind, int resource) const {
    const auto& needs = kinds_[kind].needs;
    return needs.empty() ? 0 : needs[type_][resource];
  }

  // How many more items of `kind` there are and fit.
  int Most(int kind, const std::vector<int64_t>& room) const {
    int64_t most = kinds_[kind].count;
    for (size_t r = 0; r < room.size(); ++r) {
      const int64_t need = Need(kind, r);
      if (need > 0) most = std::min(most, room[r] / need);
    }
    return static_cast<int>(most);
  }

  void FindFillings(int type, const BinRoom& room) {
    fillings_.clear();
    if (!room) return;
    type_ = type;
    filling_.assign(kinds_.size(), 0);
    Fill(0, *room);
  }

  void Fill(size_t kind, std::vector<int64_t> room) {
    if (--budget_ < 0) return;
    const int most = Most(kind, room);
    const bool is_last = kind + 1 == kinds_.size();
    filling_[kind] = is_last ? most : 0;
    while (true) {
      if (is_last) {
        for (size_t r = 0; r < room.size(); ++r) {
          room[r] -= most * Need(kind, r);
        }
        if (IsFull(room)) fillings_.push_back(filling_);
        return;
      }
      Fill(kind + 1, room);
      if (filling_[kind] == most) return;
      ++filling_[kind];
      for (size_t r = 0; r < room.size(); ++r) room[r] -= Need(kind, r);
    }
  }

  // Whether no item that is left fits into `room` beside filling_.
  bool IsFull(const std::vector<int64_t>& room) const {
    for (size_t k = 0; k + 1 < kinds_.size(); ++k) {
      if (filling_[k] < kinds_[k].count && Most(k, room) > 0) return false;
    }
    return true;
  }

  void AddFillings(const Table& from, Table& to) {
    if (from.empty() || fillings_.empty()) return;
    if (to.empty()) to.assign(size_, kUnreachable);
    for (const std::vector<int>& filling : fillings_) {
      budget_ -= size_;
      if (budget_ < 0) return;
      Shift(filling, 0, from.data(), to.data());
    }
  }

  // Raises to[c] to from[c − filling, at least 0] + the filling's last count.
  void Shift(const std::vector<int>& filling, size_t kind, const int32_t* from,
             int32_t* to) {
    const int count = kinds_[kind].count;
    const int put = filling[kind];
    if (kind + 2 < kinds_.size()) {
      for (int c = 0; c <= count; ++c) {
        Shift(filling, kind + 1, from + std::max(c - put, 0) * stride_[kind],
              to + c * stride_[kind]);
      }
      return;
    }
    const int32_t last = filling.back();
    for (int c = 0; c < put; ++c) to[c] = std::max(to[c], from[0] + last);
    for (int c = put; c <= count; ++c) {
      to[c] = std::max(to[c], from[c - put] + last);
    }
  }

  std::vector<ItemKind> kinds_;
  int64_t& budget_;
  std::vector<int64_t> stride_;
  int64_t size_ = 1;

  int type_ = 0;
  std::vector<int> filling_;
  std::vector<std::vector<int>> fillings_;
};

}  // namespace

Fit FitIntoBins(std::vector<ItemKind> kinds, const BinChoices& bins,
                int64_t& budget) {
  return Packer(std::move(kinds), budget).Run(bins);
}

}  // namespace octopipe
