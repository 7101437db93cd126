#include "compiler/simulator/timeline_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/simulator/work_dag.h"

namespace octopipe {
namespace {

constexpr int kLeastWidth = 60;
constexpr int kLeastTickColumns = 10;
constexpr char kIdle = '.';

// In the order of WorkKind.
constexpr std::array<char, 4> kFillers = {'-', '=', '~', '='};
constexpr std::array<absl::string_view, 4> kMeanings = {
    "forward", "input gradient", "weight gradient", "whole backward"};

struct Unit {
  absl::string_view name;
  Nanos ns;
};

Unit UnitFor(Nanos makespan) {
  if (makespan >= 1000000000) return {"s", 1000000000};
  if (makespan >= 1000000) return {"ms", 1000000};
  if (makespan >= 1000) return {"us", 1000};
  return {"ns", 1};
}

// time / unit with up to three decimals.
std::string InUnit(Nanos time, const Unit& unit) {
  std::string text = absl::StrCat(time / unit.ns);
  Nanos rest = time % unit.ns;
  if (rest == 0) return text;
  text += '.';
  for (int digit = 0; digit < 3 && rest > 0; ++digit) {
    rest *= 10;
    absl::StrAppend(&text, rest / unit.ns);
    rest %= unit.ns;
  }
  return text;
}

class Chart {
 public:
  Chart(const StageTable& table, const Order& order, const Timeline& timeline,
        int width)
      : table_(table),
        order_(order),
        timeline_(timeline),
        width_(std::max(width, kLeastWidth)) {
    label_width_ = absl::StrCat("device ", table.num_devices - 1).size();
    const int margins = label_width_ + absl::string_view(" || 100 %").size();
    columns_ = width_ - margins;
  }

  std::string Render() const {
    std::string text = Axis();
    for (int d = 0; d < table_.num_devices; ++d) {
      if (order_.programs[d].empty()) continue;
      std::string label = absl::StrCat("device ", d);
      label.resize(label_width_, ' ');
      const int busy = BusyPercent(d);
      absl::StrAppend(&text, label, " |", Row(d), "| ",
                      busy < 10    ? "  "
                      : busy < 100 ? " "
                                   : "",
                      busy, " %\n");
    }
    return text + Legend();
  }

 private:
  // The column that `time` falls on, rounded to the nearest.
  int Column(Nanos time) const {
    if (timeline_.makespan_ns == 0) return 0;
    const absl::uint128 twice = absl::uint128(time) * columns_ * 2;
    return static_cast<int>((twice / timeline_.makespan_ns + 1) / 2);
  }

  std::string Axis() const {
    const Nanos makespan = timeline_.makespan_ns;
    const Unit unit = UnitFor(makespan);
    const std::array<Nanos, 3> steps = {1, 2, 5};
    Nanos scale = 1;
    size_t choice = 0;
    while (Column(steps[choice] * scale) < kLeastTickColumns &&
           steps[choice] * scale < makespan) {
      if (++choice == steps.size()) {
        choice = 0;
        scale *= 10;
      }
    }
    std::string labels(label_width_ + 2, ' ');
    std::string ticks(label_width_ + 2, ' ');
    const size_t origin = ticks.size();
    ticks.resize(origin + columns_, '-');
    const Nanos step = steps[choice] * scale;
    for (Nanos t = 0; t <= makespan; t += step) {
      const int column = Column(t);
      if (column >= columns_) break;
      ticks[origin + column] = '+';
      std::string label = InUnit(t, unit);
      if (t == 0) absl::StrAppend(&label, " ", unit.name);
      if (column + static_cast<int>(label.size()) > columns_) continue;
      labels.resize(origin + column, ' ');
      labels += label;
    }
    return absl::StrCat(labels, "\n", ticks, "\n");
  }

  std::string Row(int d) const {
    const std::vector<WorkItem>& program = order_.programs[d];
    const bool has_stages =
        std::any_of(program.begin(), program.end(), [&](const WorkItem& item) {
          return item.stage != program.front().stage;
        });
    std::string row(columns_, kIdle);
    for (size_t i = 0; i < program.size(); ++i) {
      const WorkItem& item = program[i];
      const Nanos start = timeline_.start_ns[d][i];
      const int begin = Column(start);
      const int end =
          Column(start + DurationOf(table_.stages[item.stage], item.kind));
      row.replace(begin, end - begin, Cells(item, has_stages, end - begin));
    }
    return row;
  }

  static std::string Cells(const WorkItem& item, bool with_stage, int columns) {
    const absl::string_view letters = KindLetters(item.kind);
    std::string text = absl::StrCat(letters, item.micro_batch);
    if (with_stage && static_cast<int>(ToString(item).size()) <= columns) {
      text = ToString(item);
    }
    if (static_cast<int>(text.size()) > columns) text = std::string(letters);
    text.resize(columns, kFillers[static_cast<int>(item.kind)]);
    return text;
  }

  int BusyPercent(int d) const {
    absl::uint128 busy = 0;
    for (const WorkItem& item : order_.programs[d]) {
      busy += DurationOf(table_.stages[item.stage], item.kind);
    }
    if (timeline_.makespan_ns == 0) return 0;
    return static_cast<int>(busy * 100 / timeline_.makespan_ns);
  }

  std::string Legend() const {
    std::array<bool, 4> occurs = {};
    for (const auto& program : order_.programs) {
      for (const WorkItem& item : program) {
        occurs[static_cast<int>(item.kind)] = true;
      }
    }
    std::vector<std::string> entries;
    for (int kind = 0; kind < 4; ++kind) {
      if (!occurs[kind]) continue;
      entries.push_back(absl::StrCat(KindLetters(static_cast<WorkKind>(kind)),
                                     " ", kMeanings[kind]));
    }
    entries.push_back(absl::StrCat(std::string(1, kIdle), " idle"));
    std::string text;
    size_t column = 0;
    for (const std::string& entry : entries) {
      if (column > 0) {
        const bool fits =
            column + 3 + entry.size() <= static_cast<size_t>(width_);
        absl::StrAppend(&text, fits ? "   " : "\n");
        column = fits ? column + 3 : 0;
      }
      text += entry;
      column += entry.size();
    }
    return text + "\n";
  }

  const StageTable& table_;
  const Order& order_;
  const Timeline& timeline_;
  const int width_;
  int label_width_ = 0;
  int columns_ = 0;
};

}  // namespace

std::string RenderTimeline(const StageTable& table, const Order& order,
                           const Timeline& timeline, int width) {
  return Chart(table, order, timeline, width).Render();
}

}  // namespace octopipe
