// Plans of the published profiles against what others reach on them:
// tests/data/README.md says where the figures come from.

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/artifact/file_io.h"
#include "compiler/bounds/best_bound.h"
#include "compiler/import/import_profile.h"
#include "compiler/schedule/named_schedules.h"
#include "compiler/schedule/stage_table.h"
#include "compiler/search/partition_dp.h"
#include "compiler/simulator/evaluate.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

constexpr Nanos kHop = 300000;

struct PublishedRow {
  std::string model;
  int devices = 0;
  int micro_batches = 0;
  std::string scheme;
  Nanos makespan_ns = 0;
  Nanos work_bound_ns = 0;
  int peak_layers = 0;
};

// A field may be quoted, and then hold commas.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <typename T>
T Number(const std::string& text) {
  T value = -1;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
  return value;
}

std::vector<PublishedRow> ReadRows(const std::string& scheme) {
  const auto contents = ReadFile("tests/data/peer/authors-tuner.csv");
  EXPECT_TRUE(contents.ok()) << contents.status();
  std::vector<PublishedRow> rows;
  std::string line;
  for (char c : *contents) {
    if (c != '\n') {
      line += c;
      continue;
    }
    const std::vector<std::string> fields = Fields(line);
    line.clear();
    EXPECT_EQ(fields.size(), 10u);
    if (fields.size() != 10 || fields[3] != scheme) continue;
    rows.push_back({fields[0], Number<int>(fields[1]), Number<int>(fields[2]),
                    fields[3], Number<Nanos>(fields[4]),
                    Number<Nanos>(fields[5]), Number<int>(fields[9])});
  }
  return rows;
}

// The instance of a row: times in ticks of 0.01 ms, embedding and head in the
// first and last layer, one byte of activations a layer.
Problem ProblemOf(const PublishedRow& row) {
  const std::string file =
      absl::StrCat("tests/data/profiles/fitted-", row.model, ".json");
  ImportOptions options;
  options.round_ns = 10000;
  options.fold_ends = true;
  options.activation_bytes_per_layer = 1;
  const auto contents = ReadFile(file);
  EXPECT_TRUE(contents.ok()) << contents.status();
  const auto imported = ImportProfile(file, *contents, options);
  EXPECT_TRUE(imported.ok()) << imported.status();
  Problem problem;
  problem.layers = imported->profile.layers;
  problem.micro_batches = row.micro_batches;
  for (int d = 0; d < row.devices; ++d) {
    problem.devices.push_back({absl::StrCat("gpu", d), "h800"});
  }
  return problem;
}

void LinkNeighbours(Problem& problem) {
  for (int d = 0; d + 1 < static_cast<int>(problem.devices.size()); ++d) {
    problem.links.push_back({d, d + 1, kHop, 0, ""});
    problem.links.push_back({d + 1, d, kHop, 0, ""});
  }
}

void LimitMemory(Problem& problem, Bytes bytes) {
  for (Device& device : problem.devices) device.memory_bytes = bytes;
}

Bytes PeakLayers(const Metrics& metrics) {
  Bytes peak = 0;
  for (const DeviceMetrics& device : metrics.devices) {
    peak = std::max(peak, device.peak_bytes);
  }
  return peak;
}

// Rows of one scheme and how to come by them: by `policy` with so many stages a
// device. Both sides run the same order, to the nanosecond, but for interleaved
// 1F1B: there ours differs where chunks take unequally long, and may not be
// longer.
struct Scheme {
  const char* title;
  const char* policy;
  int stages_per_device;
  bool even;
  bool hops;
  bool same_order;
  int rows;
};

void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.title; }

class PublishedScheme : public testing::TestWithParam<Scheme> {};

TEST_P(PublishedScheme, IsMet) {
  const Scheme& scheme = GetParam();
  const std::vector<PublishedRow> rows = ReadRows(scheme.title);
  EXPECT_EQ(static_cast<int>(rows.size()), scheme.rows);
  for (const PublishedRow& row : rows) {
    SCOPED_TRACE(absl::StrCat(row.model, ", ", row.devices, " devices, ",
                              row.micro_batches, " micro-batches"));
    Problem problem = ProblemOf(row);
    if (scheme.hops) LinkNeighbours(problem);
    const int stages = scheme.stages_per_device * row.devices;
    const Placement placement =
        MakePlacement(PlacementPattern::kLoop, stages, row.devices);
    const auto cut = scheme.even ? PartitionEven(problem, stages)
                                 : PartitionMinMax(problem, stages, placement);
    ASSERT_TRUE(cut.ok()) << cut.status();
    const StageTable table = BuildStageTable(problem, *cut, placement);
    const auto order = GenerateNamedSchedule(scheme.policy, table);
    ASSERT_TRUE(order.ok()) << order.status();
    const auto metrics = EvaluatePlan(table, *order);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    if (scheme.same_order) {
      EXPECT_EQ(metrics->makespan_ns, row.makespan_ns);
    } else {
      EXPECT_LE(metrics->makespan_ns, row.makespan_ns);
    }
    EXPECT_EQ(PeakLayers(*metrics), row.peak_layers);
    EXPECT_EQ(WorkBound(problem).ns, row.work_bound_ns);
    EXPECT_LE(BestBound(problem).ns, row.makespan_ns);
    // Nor with no more memory than the plan takes.
    LimitMemory(problem, row.peak_layers);
    EXPECT_LE(BestBound(problem).ns, row.makespan_ns);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PublishedScheme,
    testing::Values(
        Scheme{"1f1b, even split", "1f1b", 1, true, false, true, 54},
        Scheme{"1f1b, balanced split", "1f1b", 1, false, false, true, 54},
        Scheme{"1f1b, even split, 0.3 ms a hop", "1f1b", 1, true, true, true,
               18},
        Scheme{"zb-h1, even split", "zb-h1", 1, true, false, true, 54},
        Scheme{"zb-h1, balanced split", "zb-h1", 1, false, false, true, 54},
        Scheme{"zb-h1, balanced split, 0.3 ms a hop", "zb-h1", 1, false, true,
               true, 18},
        Scheme{"interleaved 1f1b, 2 chunks", "interleaved-1f1b", 2, true, false,
               false, 54}));

// The published tuner's plans are plans, so no bound may be above one; nor with
// no more memory than the plan takes.
TEST(PublishedTuner, IsAboveEveryBound) {
  int rows = 0;
  for (const char* scheme :
       {"authors' tuner", "authors' tuner, irregular stage counts",
        "authors' tuner, its own cap = layers",
        "authors' tuner, true cap = layers", "authors' tuner, 0.3 ms a hop"}) {
    for (const PublishedRow& row : ReadRows(scheme)) {
      ++rows;
      Problem problem = ProblemOf(row);
      LimitMemory(problem, row.peak_layers);
      for (const Bound& bound : AllBounds(problem)) {
        EXPECT_LE(bound.ns, row.makespan_ns)
            << scheme << ", " << row.model << ", " << row.devices
            << " devices, " << row.micro_batches << " micro-batches, "
            << BoundKindName(bound.kind) << ": " << bound.certificate;
      }
    }
  }
  EXPECT_EQ(rows, 126);
}

// From an implementation of the claims without memory in another language, with
// another search.
TEST(PackingBound, IsThatOfAnotherImplementation) {
  const struct {
    const char* model;
    int devices, micro_batches;
    Nanos bound_ns;
  } rows[] = {{"llama3-8B", 4, 8, 378320000},
              {"llama3-32B", 16, 32, 1608950000},
              {"llama3-70B", 16, 32, 3243090000},
              {"nemotron-h-47B", 16, 64, 3954520000},
              {"nemotron-h-56B", 16, 32, 2396160000},
              {"nemotron-nano-v2-9B", 8, 16, 868020000},
              {"jamba-20B", 8, 16, 574560000},
              {"jamba-52B", 8, 32, 1468130000}};
  for (const auto& row : rows) {
    const Problem problem =
        ProblemOf({row.model, row.devices, row.micro_batches, "", 0, 0, 0});
    EXPECT_EQ(PackingBound(problem, WorkBound(problem)).ns, row.bound_ns)
        << row.model;
  }
}

}  // namespace
}  // namespace octopipe
