#include "compiler/artifact/profile_proto.h"

#include <string>

#include "compiler/artifact/proto_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every field at a value of its own.
constexpr char kEverything[] = R"(
  model: "m" sequence_length: 8 micro_batch_size: 3 source: "s"
  kinds {
    kind: "e" role: EMBEDDING times { f_ns: 1 b_ns: 2 w_ns: 3 }
    times_on { device_kind: "z" times { f_ns: 4 b_ns: 5 w_ns: 6 } }
    times_on { device_kind: "y" times { f_ns: 7 b_ns: 8 w_ns: 9 } }
    memory { param_bytes: 10 grad_bytes: 11 optimizer_bytes: 12
             saved_b_bytes: 13 saved_w_bytes: 14 f_workspace_bytes: 15
             b_workspace_bytes: 16 }
    unsplittable: true
  }
  layers { kind: "e" output_bytes: 17 shares: "wte" }
  layers { own_cost { kind: "e" times { f_ns: 18 } } no_gradient: true }
  layers { kind: "e" inputs {} name: "source" }
  layers { own_cost { kind: "h" role: HEAD } inputs { layers: [0, 2] }
           output_bytes: 19 output_grad_bytes: 20 }
)";

absl::StatusOr<ModelProfile> Read(const std::string& text) {
  v1::Profile proto;
  const absl::Status parsed =
      ParseMessage("format_version: 1 " + text, "profile", &proto);
  if (!parsed.ok()) return parsed;
  return ProfileFromProto(proto);
}

std::string ErrorOf(const std::string& text) {
  return std::string(Read(text).status().message());
}

TEST(ProfileFromProto, ReadsEveryField) {
  auto profile = Read(kEverything);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->name, "m");
  EXPECT_EQ(profile->source, "s");
  EXPECT_EQ(profile->tokens_per_micro_batch(), 24);
  ASSERT_EQ(profile->layers.size(), 4u);
  const Layer& first = profile->layers[0];
  EXPECT_EQ(first.cost.role, LayerRole::kEmbedding);
  EXPECT_EQ(first.cost.times, (LayerTimes{1, 2, 3}));
  ASSERT_EQ(first.cost.times_on.size(), 2u);
  EXPECT_EQ(first.cost.times_on[0].first, "y");
  EXPECT_EQ(first.cost.times_on[0].second, (LayerTimes{7, 8, 9}));
  EXPECT_EQ(first.cost.times_on[1].second, (LayerTimes{4, 5, 6}));
  EXPECT_EQ(first.cost.memory, (LayerMemory{10, 11, 12, 13, 14, 15, 16}));
  EXPECT_FALSE(first.cost.splittable);
  EXPECT_EQ(first.output_bytes, 17);
  EXPECT_EQ(first.output_grad_bytes, 17);
  EXPECT_TRUE(first.needs_grad);
  EXPECT_EQ(first.shares, "wte");
  EXPECT_THAT(first.inputs, IsEmpty());
  const Layer& second = profile->layers[1];
  EXPECT_EQ(second.cost.times.f_ns, 18);
  EXPECT_TRUE(second.cost.splittable);
  EXPECT_FALSE(second.needs_grad);
  EXPECT_THAT(second.inputs, ElementsAre(0));
  EXPECT_THAT(profile->layers[2].inputs, IsEmpty());
  const Layer& last = profile->layers[3];
  EXPECT_EQ(last.cost.role, LayerRole::kHead);
  EXPECT_THAT(last.inputs, ElementsAre(0, 2));
  EXPECT_EQ(last.output_grad_bytes, 20);
}

TEST(ProfileFromProto, NamesLayersThatHaveNone) {
  auto profile = Read(kEverything);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->layers[0].name, "e.0");
  EXPECT_EQ(profile->layers[1].name, "e.1");
  EXPECT_EQ(profile->layers[2].name, "source");
  EXPECT_EQ(profile->layers[3].name, "head");
}

TEST(ProfileToProto, IsLossless) {
  auto profile = Read(kEverything);
  ASSERT_TRUE(profile.ok()) << profile.status();
  auto proto = ProfileToProto(*profile);
  ASSERT_TRUE(proto.ok()) << proto.status();
  // The second layer's cost differs from that of its kind.
  EXPECT_TRUE(proto->layers(0).has_kind());
  EXPECT_TRUE(proto->layers(1).has_own_cost());
  EXPECT_EQ(proto->kinds_size(), 2);
  auto again = ProfileFromProto(*proto);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->layers.size(), profile->layers.size());
  for (size_t l = 0; l < again->layers.size(); ++l) {
    const Layer& a = again->layers[l];
    const Layer& b = profile->layers[l];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.cost, b.cost);
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.output_bytes, b.output_bytes);
    EXPECT_EQ(a.output_grad_bytes, b.output_grad_bytes);
    EXPECT_EQ(a.needs_grad, b.needs_grad);
    EXPECT_EQ(a.shares, b.shares);
  }
  EXPECT_EQ(again->source, "s");
  EXPECT_EQ(again->sequence_length, 8);
  EXPECT_EQ(again->micro_batch_size, 3);
}

TEST(ProfileFromProto, ErrorsNameThePath) {
  const std::string kind = R"(kinds { kind: "a" } )";
  EXPECT_EQ(ErrorOf(kind + R"(layers { kind: "b" })"),
            "layers[0].kind: 'b' is not one of the kinds: a");
  EXPECT_EQ(ErrorOf(kind + "layers {}"),
            "layers[0]: expected kind or own_cost, got neither");
  EXPECT_EQ(ErrorOf(kind), "layers: expected at least one layer, got none");
  EXPECT_EQ(ErrorOf(kind + kind), "kinds[1].kind: 'a' stands twice");
  EXPECT_THAT(ErrorOf("kinds {}"), HasSubstr("kinds[0].kind: expected a name"));
  EXPECT_EQ(ErrorOf(R"(kinds { kind: "a" times { b_ns: -1 } })"),
            "kinds[0].times.b_ns: expected 0 to 1152921504606846976, got -1");
  EXPECT_THAT(ErrorOf("layers { own_cost { memory { grad_bytes: -1 } } }"),
              HasSubstr("layers[0].own_cost.memory.grad_bytes"));
  EXPECT_THAT(ErrorOf("layers { own_cost { role: 7 } }"),
              HasSubstr("role: expected BLOCK, EMBEDDING or HEAD, got 7"));
  EXPECT_THAT(ErrorOf(R"(layers { own_cost {
                times_on { device_kind: "x" } times_on { device_kind: "x" } } })"),
              HasSubstr("device kind 'x' stands twice"));
  EXPECT_THAT(ErrorOf("layers { own_cost {} inputs { layers: 0 } }"),
              HasSubstr("layers[0].inputs: expected a layer below 0, got 0"));
  EXPECT_THAT(ErrorOf("layers { own_cost {} } layers { own_cost {} "
                      "inputs { layers: [0, 0] } }"),
              HasSubstr("ascending"));
  EXPECT_THAT(ErrorOf("sequence_length: -1"), HasSubstr("sequence_length"));
  EXPECT_THAT(ErrorOf("sequence_length: 1152921504606846976 "
                      "micro_batch_size: 2"),
              HasSubstr("tokens"));
}

TEST(ProfileFromProto, RefusesOtherVersions) {
  v1::Profile proto;
  EXPECT_THAT(std::string(ProfileFromProto(proto).status().message()),
              HasSubstr("format_version is missing"));
  proto.set_format_version(2);
  EXPECT_EQ(ProfileFromProto(proto).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace octopipe
