#include "dialects/pipeline/ir/ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialects/pipeline/ir/register.h"
#include "gtest/gtest.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace octopipe::pipeline {
namespace {

class OpsTest : public ::testing::Test {
 protected:
  OpsTest() {
    mlir::DialectRegistry registry;
    RegisterDialect(registry);
    context_.appendDialectRegistry(registry);
  }

  std::optional<int64_t> BytesOf(const char* type) {
    return TensorBytes(mlir::parseType(type, &context_));
  }

  // The only model of `source`.
  ModelOp Parse(const char* source) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(source, &context_);
    if (!module_) return nullptr;
    auto models = module_->getOps<ModelOp>();
    return models.empty() ? nullptr : *models.begin();
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(OpsTest, TensorBytesRoundsBitsUp) {
  EXPECT_EQ(BytesOf("tensor<1x4096x4096xbf16>"), 33554432);
  EXPECT_EQ(BytesOf("tensor<f32>"), 4);
  EXPECT_EQ(BytesOf("tensor<3xi4>"), 2);
  EXPECT_EQ(BytesOf("tensor<8xi1>"), 1);
  EXPECT_EQ(BytesOf("tensor<9xi1>"), 2);
  EXPECT_EQ(BytesOf("tensor<2xcomplex<f32>>"), 16);
  EXPECT_EQ(BytesOf("tensor<4xf8E4M3FN>"), 4);
}

TEST_F(OpsTest, TensorBytesOfAnEmptyTensorIsZero) {
  EXPECT_EQ(BytesOf("tensor<0xf32>"), 0);
  EXPECT_EQ(BytesOf("tensor<9223372036854775807x9223372036854775807x0xf32>"),
            0);
}

TEST_F(OpsTest, TensorBytesRefusesWhatHasNone) {
  EXPECT_EQ(BytesOf("tensor<?xf32>"), std::nullopt);
  EXPECT_EQ(BytesOf("tensor<*xf32>"), std::nullopt);
  EXPECT_EQ(BytesOf("tensor<4xindex>"), std::nullopt);
  EXPECT_EQ(BytesOf("f32"), std::nullopt);
  // 2^60 bytes have 2^63 bits.
  EXPECT_EQ(BytesOf("tensor<1152921504606846976xi8>"), std::nullopt);
  EXPECT_EQ(BytesOf("tensor<1152921504606846975xi8>"), 1152921504606846975);
}

constexpr char kSkip[] = R"(
  pipeline.cluster @c { pipeline.device @gpu kind "h100" }
  pipeline.model @m on @c micro_batches 1 {
    %s0:2 = pipeline.stage 0 () -> (tensor<2xf32>, tensor<3xf32>) {
      %a = pipeline.layer "a"() <"x"> : () -> tensor<2xf32>
      %b = pipeline.layer "b"(%a) <"x"> no_grad : (tensor<2xf32>) -> tensor<3xf32>
      pipeline.yield %a, %b : tensor<2xf32>, tensor<3xf32>
    }
    pipeline.stage 1 (%p = %s0#1 : tensor<3xf32>, %q = %s0#0 : tensor<2xf32>) {
      %c:2 = pipeline.layer "c"(%q, %p) <"x"> : (tensor<2xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<5xf64>)
      pipeline.layer "d"(%c#1, %p) <"x"> : (tensor<5xf64>, tensor<3xf32>) -> ()
      pipeline.yield
    }
    pipeline.yield
  })";

std::vector<std::string> Names(const std::vector<LayerOp>& layers) {
  std::vector<std::string> names;
  for (LayerOp layer : layers) names.push_back(layer.getLayerName().str());
  return names;
}

TEST_F(OpsTest, LayersStandInOrderAcrossStages) {
  ModelOp model = Parse(kSkip);
  ASSERT_TRUE(model);
  EXPECT_EQ(model.getStages().size(), 2u);
  EXPECT_EQ(Names(model.getLayers()),
            (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(OpsTest, ProducersAreFoundThroughStages) {
  ModelOp model = Parse(kSkip);
  ASSERT_TRUE(model);
  std::vector<LayerOp> layers = model.getLayers();
  EXPECT_TRUE(layers[0].getProducers().empty());
  EXPECT_EQ(Names(layers[1].getProducers()), std::vector<std::string>{"a"});
  EXPECT_EQ(Names(layers[2].getProducers()),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Names(layers[3].getProducers()),
            (std::vector<std::string>{"c", "b"}));
}

TEST_F(OpsTest, OutputsAddUpAndNoGradSendsNoneBack) {
  ModelOp model = Parse(kSkip);
  ASSERT_TRUE(model);
  std::vector<LayerOp> layers = model.getLayers();
  EXPECT_EQ(layers[0].getOutputBytes(), 8);
  EXPECT_EQ(layers[0].getOutputGradBytes(), 8);
  EXPECT_EQ(layers[1].getOutputBytes(), 12);
  EXPECT_EQ(layers[1].getOutputGradBytes(), 0);
  EXPECT_EQ(layers[2].getOutputBytes(), 44);
  EXPECT_EQ(layers[3].getOutputBytes(), 0);
}

TEST_F(OpsTest, TimesOnADeviceKind) {
  auto profile = llvm::cast<ProfileAttr>(mlir::parseAttribute(
      R"(#pipeline.profile<"x", f_ns = 1, on = {h20 = <f_ns = 7, w_ns = 9>}>)",
      &context_));
  EXPECT_EQ(profile.getTimesOn("h100"), std::nullopt);
  std::optional<TimesAttr> times = profile.getTimesOn("h20");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->getFNs(), 7);
  EXPECT_EQ(times->getBNs(), 0);
  EXPECT_EQ(times->getWNs(), 9);
}

}  // namespace
}  // namespace octopipe::pipeline
