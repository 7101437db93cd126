#include "compiler/import/fold_ends.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace octopipe {
namespace {

using ::testing::HasSubstr;

Layer MakeLayer(const std::string& name, LayerRole role,
                std::vector<int> inputs) {
  Layer layer;
  layer.name = name;
  layer.cost.kind = name;
  layer.cost.role = role;
  layer.inputs = std::move(inputs);
  return layer;
}

std::vector<Layer> Model() {
  return {MakeLayer("e", LayerRole::kEmbedding, {}),
          MakeLayer("a", LayerRole::kBlock, {0}),
          MakeLayer("b", LayerRole::kBlock, {1}),
          MakeLayer("h", LayerRole::kHead, {2})};
}

std::string ErrorOf(std::vector<Layer> layers) {
  return std::string(FoldEnds(layers).message());
}

TEST(FoldEnds, AddsAllCostsAndTakesTheLargerWorkspace) {
  std::vector<Layer> layers = Model();
  layers[0].cost.memory = {1, 2, 3, 4, 5, 6, 7};
  layers[1].cost.memory = {10, 20, 30, 40, 50, 60, 3};
  layers[0].cost.times_on = {{"x", {1, 2, 3}}};
  layers[1].cost.times_on = {{"x", {10, 20, 30}}};
  layers[0].cost.splittable = false;
  layers[1].output_bytes = 9;
  ASSERT_TRUE(FoldEnds(layers).ok());
  ASSERT_EQ(layers.size(), 2u);
  const LayerCost& cost = layers[0].cost;
  EXPECT_EQ(cost.kind, "e+a");
  EXPECT_EQ(cost.memory, (LayerMemory{11, 22, 33, 44, 55, 60, 7}));
  ASSERT_EQ(cost.times_on.size(), 1u);
  EXPECT_EQ(cost.times_on[0].second, (LayerTimes{11, 22, 33}));
  EXPECT_FALSE(cost.splittable);
  EXPECT_EQ(cost.role, LayerRole::kBlock);
  EXPECT_EQ(layers[0].output_bytes, 9);
  EXPECT_EQ(layers[1].name, "b+h");
  EXPECT_TRUE(layers[1].cost.splittable);
}

TEST(FoldEnds, BothIntoTheOnlyBlock) {
  std::vector<Layer> layers = Model();
  layers.erase(layers.begin() + 1);
  layers[1].inputs = {0};
  layers[2].inputs = {1};
  ASSERT_TRUE(FoldEnds(layers).ok());
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].name, "e+b+h");
}

TEST(FoldEnds, LeavesAModelWithoutEndsAlone) {
  std::vector<Layer> layers = {MakeLayer("a", LayerRole::kBlock, {}),
                               MakeLayer("b", LayerRole::kBlock, {0})};
  ASSERT_TRUE(FoldEnds(layers).ok());
  EXPECT_EQ(layers.size(), 2u);
}

TEST(FoldEnds, RefusesWhatIsNoChain) {
  std::vector<Layer> layers = Model();
  layers[2].inputs = {0, 1};
  EXPECT_THAT(ErrorOf(layers), HasSubstr("layer 'b' makes it more than"));
  layers = Model();
  layers[3].inputs = {1, 2};
  EXPECT_THAT(ErrorOf(layers), HasSubstr("does not read just the layer"));
  layers = Model();
  layers[1].cost.role = LayerRole::kHead;
  EXPECT_THAT(ErrorOf(layers), HasSubstr("'a' into a block: it is not at"));
  layers = Model();
  layers[0].shares = "wte";
  EXPECT_THAT(ErrorOf(layers), HasSubstr("parameters are shared"));
  layers = Model();
  layers[3].cost.times_on = {{"x", {}}};
  EXPECT_THAT(ErrorOf(layers), HasSubstr("different device kinds"));
  EXPECT_THAT(ErrorOf({MakeLayer("h", LayerRole::kHead, {})}),
              HasSubstr("there is none"));
  EXPECT_THAT(ErrorOf({MakeLayer("e", LayerRole::kEmbedding, {}),
                       MakeLayer("h", LayerRole::kHead, {0})}),
              HasSubstr("its neighbour 'h' is none"));
}

}  // namespace
}  // namespace octopipe
