#include "compiler/import/import_profile.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "compiler/artifact/file_io.h"
#include "compiler/artifact/proto_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kFitted[] = R"({
  "model": "m", "seq_len": 4096, "micro_batch_size": 2,
  "layers": "EM-ML",
  "kinds": {
    "E": {"name": "embedding", "forward_ns": 4000, "input_grad_ns": 5000, "weight_grad_ns": 6000},
    "M": {"name": "mamba", "forward_ns": 10000, "input_grad_ns": 20000, "weight_grad_ns": 30000},
    "-": {"name": "mlp", "forward_ns": 14999, "input_grad_ns": 15000, "weight_grad_ns": 15001},
    "L": {"name": "lm_head", "forward_ns": 70000, "input_grad_ns": 80000, "weight_grad_ns": 90000}
  }
})";

constexpr char kMeasured[] = R"({
  "model": "n",
  "layers": [
    {"kind": "M+E", "forward_ms": 5.7739, "backward_ms": 7.1975},
    {"kind": "-", "forward_ms": 1, "backward_ms": 0.000003},
    {"kind": "M+H", "forward_ms": 2e-3, "backward_ms": 0.0005}
  ]
})";

absl::StatusOr<ImportedProfile> Import(const std::string& contents,
                                       const ImportOptions& options = {}) {
  return ImportProfile("p", contents, options);
}

std::string ErrorOf(const std::string& contents,
                    const ImportOptions& options = {}) {
  return std::string(Import(contents, options).status().message());
}

std::string Replaced(const char* text, const char* from,
                     const std::string& to) {
  const std::string result = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_NE(result, text) << "the test's own replacement found nothing";
  return result;
}

std::vector<std::string> Names(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.push_back(layer.name);
  return names;
}

Nanos Total(const LayerTimes& times) {
  return times.f_ns + times.b_ns + times.w_ns;
}

TEST(ImportProfile, ReadsAPatternOfKinds) {
  auto imported = Import(kFitted);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const ModelProfile& profile = imported->profile;
  EXPECT_EQ(profile.name, "m");
  EXPECT_EQ(profile.tokens_per_micro_batch(), 8192);
  EXPECT_THAT(Names(profile.layers),
              ElementsAre("embed", "mamba.0", "mlp.0", "mamba.1", "head"));
  EXPECT_EQ(profile.layers[0].cost.role, LayerRole::kEmbedding);
  EXPECT_EQ(profile.layers[2].cost.role, LayerRole::kBlock);
  EXPECT_EQ(profile.layers[4].cost.role, LayerRole::kHead);
  EXPECT_EQ(profile.layers[3].cost.times, (LayerTimes{10000, 20000, 30000}));
  EXPECT_THAT(profile.layers[0].inputs, IsEmpty());
  EXPECT_THAT(profile.layers[4].inputs, ElementsAre(3));
  EXPECT_THAT(imported->warnings, IsEmpty());
}

TEST(ImportProfile, ReadsMeasuredMillisecondsExactly) {
  auto imported = Import(kMeasured);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Layer>& layers = imported->profile.layers;
  EXPECT_THAT(Names(layers), ElementsAre("embed+M.0", "mlp.0", "M.1+head"));
  EXPECT_EQ(layers[0].cost.times, (LayerTimes{5773900, 3598750, 3598750}));
  // The half nanosecond goes to B.
  EXPECT_EQ(layers[1].cost.times, (LayerTimes{1000000, 2, 1}));
  EXPECT_EQ(layers[2].cost.times, (LayerTimes{2000, 250, 250}));
}

TEST(ImportProfile, RoundsAWholeBackwardBeforeItSplitsIt) {
  ImportOptions options;
  options.round_ns = 10000;
  options.backward_split_permille = 600;
  auto imported = Import(kMeasured, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->profile.layers[0].cost.times,
            (LayerTimes{5770000, 4320000, 2880000}));
}

TEST(ImportProfile, RoundsHalvesUp) {
  ImportOptions options;
  options.round_ns = 10000;
  auto imported = Import(kFitted, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->profile.layers[2].cost.times,
            (LayerTimes{10000, 20000, 20000}));
  EXPECT_EQ(imported->profile.layers[0].cost.times,
            (LayerTimes{0, 10000, 10000}));
}

TEST(ImportProfile, GivesBytesToBlocksAlone) {
  ImportOptions options;
  options.activation_bytes_per_layer = 7;
  options.param_bytes_per_layer = 11;
  options.output_bytes_per_layer = 13;
  auto imported = Import(kFitted, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Layer>& layers = imported->profile.layers;
  for (int l : {0, 4}) {
    EXPECT_EQ(layers[l].cost.memory, LayerMemory()) << l;
    EXPECT_EQ(layers[l].output_bytes, 13) << l;
  }
  for (int l : {1, 2, 3}) {
    EXPECT_EQ(layers[l].cost.memory.saved_w_bytes, 7) << l;
    EXPECT_EQ(layers[l].cost.memory.saved_b_bytes, 0) << l;
    EXPECT_EQ(layers[l].cost.memory.param_bytes, 11) << l;
    EXPECT_EQ(layers[l].output_grad_bytes, 13) << l;
  }
}

TEST(ImportProfile, FoldsTheEndsIntoTheirNeighbours) {
  ImportOptions options;
  options.fold_ends = true;
  options.activation_bytes_per_layer = 7;
  auto imported = Import(kFitted, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Layer>& layers = imported->profile.layers;
  EXPECT_THAT(Names(layers),
              ElementsAre("embed+mamba.0", "mlp.0", "mamba.1+head"));
  EXPECT_EQ(layers[0].cost.times, (LayerTimes{14000, 25000, 36000}));
  EXPECT_EQ(layers[2].cost.times, (LayerTimes{80000, 100000, 120000}));
  EXPECT_EQ(layers[0].cost.memory.saved_w_bytes, 7);
  EXPECT_EQ(layers[2].cost.memory.saved_w_bytes, 7);
  EXPECT_THAT(layers[0].inputs, IsEmpty());
  EXPECT_THAT(layers[2].inputs, ElementsAre(1));
}

TEST(ImportProfile, ProfileOfItsOwnBytesKeepsThem) {
  constexpr char kText[] = R"(
    format_version: 1
    kinds { kind: "a" times { f_ns: 4 b_ns: 6 w_ns: 10 }
            memory { saved_b_bytes: 3 param_bytes: 4 } }
    layers { kind: "a" output_bytes: 5 }
    layers { kind: "a" output_grad_bytes: 6 })";
  ImportOptions options;
  options.activation_bytes_per_layer = 70;
  options.param_bytes_per_layer = 71;
  options.output_bytes_per_layer = 72;
  options.round_ns = 4;
  auto imported = Import(kText, options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::vector<Layer>& layers = imported->profile.layers;
  EXPECT_THAT(Names(layers), ElementsAre("a.0", "a.1"));
  EXPECT_EQ(layers[0].cost.times, (LayerTimes{4, 8, 12}));
  EXPECT_EQ(layers[0].cost.memory.saved_w_bytes, 0);
  EXPECT_EQ(layers[0].cost.memory.param_bytes, 4);
  EXPECT_EQ(layers[0].output_bytes, 5);
  EXPECT_EQ(layers[0].output_grad_bytes, 5);
  EXPECT_EQ(layers[1].output_bytes, 72);
  EXPECT_EQ(layers[1].output_grad_bytes, 6);
}

TEST(ImportProfile, ReadsBinaryAsWellAsText) {
  v1::Profile proto;
  proto.set_format_version(1);
  proto.add_layers()->mutable_own_cost()->mutable_times()->set_f_ns(5);
  for (const std::string& contents : {CanonicalBytes(proto), ToText(proto)}) {
    auto imported = Import(contents);
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->profile.layers[0].cost.times.f_ns, 5);
  }
}

TEST(ImportProfile, WarnsOfDegenerateFits) {
  auto imported = Import(Replaced(kFitted, "\"weight_grad_ns\": 15001",
                                  "\"weight_grad_ns\": 1000"));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_THAT(imported->warnings,
              ElementsAre(StartsWith("kind 'mlp': a weight gradient of 1000 ns "
                                     "beside a forward of 14999 ns")));
  imported = Import(Replaced(kFitted, "\"weight_grad_ns\": 15001",
                             "\"weight_grad_ns\": 1001"));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_THAT(imported->warnings, IsEmpty());
  imported = Import(kMeasured);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_THAT(imported->warnings,
              ElementsAre(StartsWith("kind 'mlp': a backward of 3 ns")));
}

TEST(ImportProfile, ErrorsPointAndName) {
  EXPECT_EQ(ErrorOf(Replaced(kFitted, "EM-ML", "EM?ML")),
            "p:3:13: layers: unknown kind '?' at position 2; known: - E L M");
  EXPECT_EQ(ErrorOf(Replaced(kFitted, "EM-ML", "")),
            "p:3:13: layers: expected 1 to 1048576 layers, got 0");
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "\"forward_ns\": 4000", "\"x\": 1")),
              HasSubstr("kinds['E']: expected a key 'forward_ns' with a "
                        "number, got none"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "4000", "-4000")),
              HasSubstr("kinds['E'].forward_ns: expected 0 or more"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "4000", "\"4000\"")),
              HasSubstr("kinds['E'].forward_ns: expected a number, got a "
                        "string"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "4000", "4e30")),
              HasSubstr("number too large: 4e30"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "\"mlp\"", "\"mamba\"")),
              HasSubstr("'mamba' stands twice"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "\"mlp\"", "\"\"")),
              HasSubstr("expected a name of 1 to 256 bytes, got 0"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "mlp", std::string(257, 'm'))),
              HasSubstr("expected a name of 1 to 256 bytes, got 257"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "\"-\"", "\"--\"")),
              HasSubstr("expected a single letter"));
  EXPECT_THAT(ErrorOf(Replaced(kFitted, "4096", "1e18")),
              HasSubstr("tokens are more than"));
  EXPECT_THAT(ErrorOf(Replaced(kMeasured, "\"M+H\"", "\"+H\"")),
              HasSubstr("layers[2].kind: expected <kind>[+E][+H], got '+H'"));
  EXPECT_THAT(ErrorOf("{\"model\": \"m\", \"layers\": 3}"),
              HasSubstr("p:1:26: layers: expected a pattern"));
  EXPECT_THAT(ErrorOf("{\"layers\": \"M\"}"), HasSubstr("key 'model'"));
  EXPECT_EQ(ErrorOf(""), "p: expected a profile, got an empty file");
  EXPECT_THAT(ErrorOf("\x01\x02"), HasSubstr("not an octopipe profile"));
  EXPECT_THAT(ErrorOf("format_version: 1\nfoo: 2"),
              StartsWith("p: 2:4: message type"));
}

TEST(ImportProfile, EveryPrefixIsRefused) {
  for (const char* text : {kFitted, kMeasured}) {
    const std::string whole = text;
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(Import(whole.substr(0, size)).ok()) << size;
    }
  }
}

TEST(ImportProfile, RefusesOptionsOutOfRange) {
  ImportOptions options;
  options.round_ns = 0;
  EXPECT_THAT(ErrorOf(kFitted, options), StartsWith("round_ns: expected 1 to"));
  options = {};
  options.backward_split_permille = 1001;
  EXPECT_EQ(ErrorOf(kFitted, options),
            "backward_split_permille: expected 0 to 1000, got 1001");
}

// The peer states the work bound of every profile: total work over devices,
// with times rounded to 0.01 ms.
TEST(ImportProfile, PublishedProfilesHaveTheirPublishedWork) {
  auto csv = ReadFile("tests/data/peer/authors-tuner.csv");
  ASSERT_TRUE(csv.ok()) << csv.status();
  std::set<std::string> models;
  std::vector<std::string> lines = absl::StrSplit(*csv, '\n');
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    // The scheme may hold a quoted comma; it stands before the bound.
    std::vector<std::string> front = absl::StrSplit(lines[i], ',');
    std::vector<std::string> back = front;
    int64_t devices, micro_batches, bound;
    ASSERT_TRUE(absl::SimpleAtoi(front[1], &devices));
    ASSERT_TRUE(absl::SimpleAtoi(front[2], &micro_batches));
    ASSERT_GE(front.size(), 10u);
    ASSERT_TRUE(absl::SimpleAtoi(back[back.size() - 5], &bound)) << lines[i];
    const std::string path =
        absl::StrCat("tests/data/profiles/fitted-", front[0], ".json");
    auto contents = ReadFile(path);
    ASSERT_TRUE(contents.ok()) << contents.status();
    for (bool fold : {false, true}) {
      ImportOptions options;
      options.round_ns = 10000;
      options.fold_ends = fold;
      auto imported = ImportProfile(path, *contents, options);
      ASSERT_TRUE(imported.ok()) << imported.status();
      Nanos total = 0;
      for (const Layer& layer : imported->profile.layers) {
        total += Total(layer.cost.times);
      }
      EXPECT_EQ(total * micro_batches, bound * devices) << lines[i];
    }
    models.insert(front[0]);
  }
  EXPECT_EQ(models.size(), 9u);
}

TEST(ImportProfile, NamesThePublishedDegenerateKinds) {
  auto warnings = [](const std::string& model) {
    const std::string path =
        absl::StrCat("tests/data/profiles/fitted-", model, ".json");
    auto imported = ImportProfile(path, ReadFile(path).value_or(""), {});
    EXPECT_TRUE(imported.ok()) << imported.status();
    return imported.ok() ? imported->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings("nemotron-h-56B"),
              ElementsAre(StartsWith("kind 'embedding': a weight"),
                          StartsWith("kind 'attention': an input"),
                          StartsWith("kind 'attention': a weight")));
  EXPECT_THAT(warnings("nemotron-nano-v2-9B"),
              ElementsAre(StartsWith("kind 'embedding': a weight gradient of "
                                     "0 ns beside a forward of 758900 ns")));
}

TEST(ImportProfile, ReadsThePublishedMeasurements) {
  for (const auto& [model, layers] :
       std::vector<std::pair<std::string, size_t>>{
           {"gpt-13B", 40},
           {"deepseek-16B", 28},
           {"nemotron-nano-v2-9B", 56}}) {
    const std::string path =
        absl::StrCat("tests/data/profiles/measured-", model, ".json");
    auto imported = ImportProfile(path, ReadFile(path).value_or(""), {});
    ASSERT_TRUE(imported.ok()) << imported.status();
    const std::vector<Layer>& all = imported->profile.layers;
    EXPECT_EQ(all.size(), layers);
    EXPECT_THAT(all.front().name, StartsWith("embed+"));
    EXPECT_THAT(all.back().name, HasSubstr("+head"));
    const std::vector<std::string> names = Names(all);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), layers);
  }
}

}  // namespace
}  // namespace octopipe
